"""Prints the accounts that libcloudproviders finds, as file managers do, one line of JSON for each, when there is one that has a status."""

import ctypes
import json
import sys
import time

from gi.repository import GLib

LIMIT = 20


class GList(ctypes.Structure):
    pass


GList._fields_ = [("data", ctypes.c_void_p), ("next", ctypes.POINTER(GList)), ("prev", ctypes.POINTER(GList))]
library = ctypes.CDLL("libcloudproviders.so.0")


def function(name, result, *arguments):
    found = getattr(library, f"cloud_providers_{name}")
    found.restype, found.argtypes = result, arguments
    return found


collector = function("collector_dup_singleton", ctypes.c_void_p)()
providers = function("collector_get_providers", ctypes.POINTER(GList), ctypes.c_void_p)
provider_name = function("provider_get_name", ctypes.c_char_p, ctypes.c_void_p)
accounts = function("provider_get_accounts", ctypes.POINTER(GList), ctypes.c_void_p)
texts = {
    name: function(f"account_get_{name}", ctypes.c_char_p, ctypes.c_void_p) for name in ("name", "path", "status_details")}
status = function("account_get_status", ctypes.c_int, ctypes.c_void_p)
icon = function("account_get_icon", ctypes.c_void_p, ctypes.c_void_p)


def each(entry):
    while entry:
        yield entry.contents.data
        entry = entry.contents.next


def found():
    return [
        {
            "provider": provider_name(provider).decode(), "status": status(account), "has_icon": bool(icon(account)),
            **{name: read(account).decode() for name, read in texts.items()},
        }
        for provider in each(providers(collector)) if provider_name(provider) for account in each(accounts(provider))
    ]


deadline, context = time.monotonic() + LIMIT, GLib.MainContext.default()
# File managers hide an account without a status.
while not any(account["status"] for account in found()):
    if time.monotonic() > deadline:
        sys.exit(f"libcloudproviders found no account: {found()}")
    if not context.iteration(False):
        time.sleep(0.01)
for account in found():
    print(json.dumps(account))
