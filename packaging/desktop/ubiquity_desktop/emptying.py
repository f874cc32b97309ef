"""Decides what a person is asked, and sees afterwards, when Recently Deleted is emptied, from the responses of the daemon alone."""

import os

from .alerts import Alert
from .facts import visible
from .versions import size


def question(mount, response):
    """The notification that asks; without a button where there is nothing to remove."""
    items, count, unsent, until = _figures(response)
    name = _name(mount)
    if items == 0 or not until:
        return Alert(f"empty|{mount}", f"Nothing to remove in {name}", _unsent(unsent) or "Nothing was deleted recently.")
    text = f"{_counted(items)}, {size(count)} with earlier versions. No device can restore them then."
    return Alert(
        f"empty|{mount}", f"Remove what was deleted in {name} for good?", text,
        (("Remove for Good", ("purge", mount, until)),), is_urgent=True)


def result(mount, response):
    items, count, unsent, _ = _figures(response)
    text = f"{_counted(items)} removed for good, up to {size(count)}. {_unsent(unsent)}".strip()
    return Alert(f"empty|{mount}", f"Recently Deleted of {_name(mount)} is empty" if unsent == 0 else "Not everything is removed", text)


def _figures(response):
    """What the daemon said; what is malformed counts as nothing."""
    fields = response.get("purgeDeleted") if isinstance(response, dict) else None
    fields = fields if isinstance(fields, dict) else {}
    numbers = [fields.get(key) for key in ("items", "bytes", "unsent")]
    until = fields.get("until")
    return (
        *[each if isinstance(each, int) and not isinstance(each, bool) and each >= 0 else 0 for each in numbers],
        until if isinstance(until, str) else "")


def _counted(items):
    return "1 item" if items == 1 else f"{items} items"


def _unsent(unsent):
    return "" if unsent == 0 else f"{_counted(unsent)} stayed: the deletion has not reached the cloud yet."


def _name(mount):
    return visible(os.path.basename(mount)) or mount
