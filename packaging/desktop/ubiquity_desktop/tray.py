"""Decides what the item of the status area and the accounts of file managers show, from facts alone."""

import os
from typing import NamedTuple, Optional, Tuple

from .facts import visible
from .alerts import PERSONAL, personal_troubles
from .versions import size

# Lines of one kind in a menu, and characters of a name or a message in it.
_MOST, _LONGEST = 10, 60
# Seconds.
PAUSE = 3_600
_REASONS = {
    "takenOffline": "Offline: you have paused it", "full": "The cloud is full", "refused": "The cloud refuses this device",
    "stopped": "Not synced", "connecting": "Connecting…", "unreachable": "The cloud cannot be reached",
}


class Entry(NamedTuple):
    """A line of a menu. One without a label is a separator."""

    # Unique among its siblings and the same while the line means the same.
    key: str
    label: str = ""
    # The words of what it does; nothing: it cannot be chosen.
    action: Optional[Tuple] = None
    children: Tuple["Entry", ...] = ()
    icon: str = ""


class Tray(NamedTuple):
    # As StatusNotifierItem names them: Passive, Active, NeedsAttention.
    status: str
    icon: str
    title: str
    text: str
    # What a click does.
    action: Optional[Tuple]
    menu: Tuple[Entry, ...]


class Account(NamedTuple):
    """A mount as the side bar of file managers shows it."""

    mount: str
    name: str
    # As libcloudproviders numbers them.
    status: int
    details: str
    menu: Tuple[Entry, ...]


INVALID, IDLE, SYNCING, ERROR = range(4)


def tray(mounts):
    mounts = sorted(mounts, key=lambda facts: facts.mount)
    if not mounts:
        return Tray("Passive", "ubiquity-tray", "Ubiquity", "No documents are mounted", None, (
            Entry("none", "No documents are mounted"), Entry("line"), Entry("quit", "Quit", ("quit",))))
    is_one = len(mounts) == 1
    menu = _entries(mounts[0]) if is_one else tuple(
        Entry(f"mount {facts.mount}", visible(facts.mount), children=_entries(facts)) for facts in mounts)
    menu += (Entry("last line"), *_switches(mounts), Entry("quit", "Quit", ("quit",)))
    text = "\n".join(summary(facts) if is_one else f"{_name(facts)}: {summary(facts)}" for facts in mounts)
    states = [_state(facts) for facts in mounts]
    icon = next((name for name in _ICONS if name in states), "ubiquity-tray")
    status = "NeedsAttention" if icon == "ubiquity-tray-attention" else "Active"
    return Tray(status, icon, "Ubiquity", text, ("open", mounts[0].mount), menu)


# What needs a person first.
_ICONS = ("ubiquity-tray-attention", "ubiquity-tray-syncing", "ubiquity-tray-offline")


def _state(facts):
    if not facts.is_reached:
        return "ubiquity-tray-offline"
    if facts.conflict_count > 0 or facts.refusals or _personal(facts):
        return "ubiquity-tray-attention"
    if not facts.is_online or facts.is_held:
        return "ubiquity-tray-offline"
    return "ubiquity-tray-syncing" if facts.is_busy else "ubiquity-tray"


def _personal(facts):
    is_signed_out = facts.is_signed_in is False and facts.reason != "takenOffline"
    is_refused = facts.reason in PERSONAL or (not facts.is_online and is_signed_out)
    return is_refused or bool(personal_troubles(facts))


def accounts(mounts):
    """The mounts with their names, and with the folder that each is in where two have the same name."""
    found = [account(facts) for facts in mounts]
    names = [each.name for each in found]
    return [
        each if names.count(each.name) == 1 else each._replace(name=visible("/".join(each.mount.split("/")[-2:])))
        for each in found
    ]


def account(facts):
    # A mount that is offline is idle: file managers hide an account whose status is invalid.
    status = {"ubiquity-tray-attention": ERROR, "ubiquity-tray-syncing": SYNCING}.get(_state(facts), IDLE)
    if not facts.is_reached:
        status = ERROR
    return Account(facts.mount, _name(facts), status, summary(facts), _switches([facts]) + _conflicts(facts))


def summary(facts):
    if not facts.is_reached:
        return "The daemon does not respond"
    if not facts.is_online or facts.reason in PERSONAL:
        waiting = f"; {_counted(facts.pending_items, 'change')} will be uploaded later" if facts.pending_items else ""
        return f"{_REASONS.get(facts.reason, 'Offline')}{waiting}"
    if not facts.is_busy:
        return "Everything is in the cloud"
    if facts.is_held:
        count = max(facts.pending_items, facts.uploads) + facts.downloads
        return f"{_counted(count, 'item')} {'waits' if count == 1 else 'wait'}: the network is metered"
    parts = []
    if facts.pending_items or facts.uploads:
        left = f" ({size(facts.pending_bytes)})" if facts.pending_bytes else ""
        parts.append(f"Uploading {_counted(max(facts.pending_items, facts.uploads), 'item')}{left}")
    if facts.downloads:
        parts.append(f"{'downloading' if parts else 'Downloading'} {_counted(facts.downloads, 'document')}")
    share = progress(facts)
    return ", ".join(parts) + ("" if share is None else f": {share} %")


def progress(facts):
    """How much of the transfers under way is done, in percent; nothing if there are none."""
    total = sum(transfer.total for transfer in facts.transfers)
    if total == 0:
        return None
    return min(100, 100 * sum(min(transfer.completed, transfer.total) for transfer in facts.transfers) // total)


def _entries(facts):
    entries = [Entry("summary", _short(summary(facts)))]
    if facts.transfers:
        entries.append(Entry("transfers", "Transfers", children=_lines(facts.transfers, _transfer)))
    if facts.metered == "wait":
        entries.append(Entry("metered", "Sync on Metered Networks", ("metered", facts.mount, "continue")))
    elif facts.metered == "continue":
        entries.append(Entry("metered", "Wait on Metered Networks", ("metered", facts.mount, "wait")))
    entries.append(Entry("open", "Open Folder", ("open", facts.mount), icon="folder-open"))
    if facts.is_reached:
        entries.append(Entry("empty", "Empty Recently Deleted…", ("empty", facts.mount), icon="user-trash"))
    entries += _conflicts(facts)
    troubles = personal_troubles(facts)
    if (not facts.is_online or facts.reason in PERSONAL) and _personal(facts) and facts.message:
        entries.append(Entry("cloud", _short(facts.message), icon="dialog-warning"))
    if troubles:
        entries.append(Entry("troubles", "Last Problems", children=_lines(troubles, lambda trouble: Entry(
            f"{trouble.path} {trouble.text}", _short(f"{_base(facts, trouble.path)}: {trouble.text}"),
            ("show", facts.absolute(trouble.path)))), icon="dialog-warning"))
    for refusal in facts.refusals[:_MOST]:
        entries.append(Entry(
            f"allow {refusal.program}", _short(f"Allow {refusal.program} to Download"), ("allow", facts.mount, refusal.program)))
    return tuple(entries)


def _transfer(transfer):
    share = f" {100 * min(transfer.completed, transfer.total) // transfer.total} %" if transfer.total else ""
    arrow = "↑" if transfer.is_upload else "↓"
    name = visible(os.path.basename(transfer.path))[:_LONGEST]
    return Entry(f"{arrow} {transfer.path}", f"{arrow} {name}{share}")


def _conflicts(facts):
    if facts.conflict_count == 0:
        return ()
    label = f"{_counted(facts.conflict_count, 'Document')} in Conflict"
    return (Entry("conflicts", label, children=_lines(facts.conflicts, lambda conflict: Entry(
        conflict.path, _short(os.path.basename(conflict.path)), ("versions", facts.absolute(conflict.path)))),
        icon="emblem-ubiquity-conflict"),)


def _lines(values, line):
    lines = tuple(line(value) for value in values[:_MOST])
    more = len(values) - _MOST
    return lines + ((Entry("more", f"… and {more} more"),) if more > 0 else ())


def _switches(mounts):
    """Off the cloud and back, for all of these mounts. A daemon that does not say why it is offline gets both."""
    reached = [facts for facts in mounts if facts.is_reached]
    places = tuple(facts.mount for facts in reached)
    entries = []
    if any(facts.reason != "takenOffline" for facts in reached):
        entries.append(Entry("pause", "Pause for an Hour", ("offline", places, PAUSE)))
        entries.append(Entry("offline", "Go Offline", ("offline", places, None)))
    if any(not facts.is_online and facts.reason in ("takenOffline", None) for facts in reached):
        entries.append(Entry("online", "Go Online", ("online", places)))
    return tuple(entries)


def _name(facts):
    return visible(os.path.basename(facts.mount)) or facts.mount


def _base(facts, path):
    return os.path.basename(facts.absolute(path))


def _short(text):
    text = visible(text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST - 1]}…"


def _counted(count, noun):
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
