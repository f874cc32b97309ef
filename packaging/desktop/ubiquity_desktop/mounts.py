"""Finds the mounts of this user by the records that their daemons leave."""

import json
import os
from typing import NamedTuple

# A record is a few hundred bytes.
_LONGEST_RECORD = 1 << 16


class Mount(NamedTuple):
    path: str
    socket: str
    pid: int


def directories(environment=None, user=None):
    """The directories that may have records, the preferred one first, as docs/PROTOCOL.md lists them."""
    environment = os.environ if environment is None else environment
    user = os.getuid() if user is None else user

    def absolute(name):
        value = environment.get(name, "")
        return value if value.startswith("/") else None

    state = absolute("XDG_STATE_HOME") or os.path.expanduser("~") + "/.local/state"
    runtime = absolute("XDG_RUNTIME_DIR")
    found = ([runtime] if runtime else []) + [f"/run/user/{user}", state]
    scope = absolute("UBIQUITY_SCOPE")
    return [
        f"{folder}/ubiquity" for folder in dict.fromkeys(found)
        if scope is None or folder == scope or folder.startswith(scope + "/")
    ]


def read(folders=None):
    """The mounts whose daemons run, by their path. What is no record is skipped."""
    found = {}
    for folder in directories() if folders is None else folders:
        try:
            names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
        except OSError:
            continue
        for name in names:
            mount = _record(f"{folder}/{name}")
            if mount is not None and mount.path not in found and _is_running(mount.pid):
                found[mount.path] = mount
    return found


def _record(file):
    try:
        with open(file, "rb") as record:
            fields = json.loads(record.read(_LONGEST_RECORD))
        if fields["format"] != 1:
            return None
        mount = Mount(fields["mount"], fields["socket"], fields["pid"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    is_valid = isinstance(mount.path, str) and isinstance(mount.socket, str) and isinstance(mount.pid, int)
    return mount if is_valid and mount.path.startswith("/") and mount.pid > 0 else None


def _is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def containing(path, mounts):
    """The mount that a path is in, with the path below it; nothing for a path outside of all."""
    best = None
    for mount in mounts:
        if (path == mount or path.startswith(mount + "/")) and (best is None or len(mount) > len(best)):
            best = mount
    return None if best is None else (best, path[len(best) + 1:])
