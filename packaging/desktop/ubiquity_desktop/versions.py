"""What the window of a document's versions shows and does, without the window."""

import json
from datetime import datetime
from typing import NamedTuple, Tuple

_UNITS = ("bytes", "kB", "MB", "GB", "TB")
KINDS = {"current": "Current", "conflict": "In conflict", "history": "Earlier"}


class Version(NamedTuple):
    name: str
    kind: str
    # What the columns show.
    cells: Tuple[str, ...]
    file: str
    is_here: bool


def parse(text):
    """The versions in the output of `ubiquity versions --json`, without what is malformed."""
    found = []
    for fields in json.loads(text)["versions"]:
        try:
            modified = datetime.fromisoformat(fields["modified"].replace("Z", "+00:00")).astimezone()
            cells = (
                modified.strftime("%x %X"), fields.get("device", ""), size(fields["size"]),
                KINDS.get(fields["kind"], fields["kind"]))
            found.append(
                Version(fields["version"], fields["kind"], cells, fields.get("file", ""), fields.get("isHere", False)))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            continue
    return found


def size(count):
    value = float(count)
    for unit in _UNITS:
        if value < 1_000 or unit == _UNITS[-1]:
            return f"{value:.0f} {unit}" if unit == "bytes" or value >= 10 else f"{value:.1f} {unit}"
        value /= 1_000


def pair(versions, selected):
    """The two versions that are compared: the current one, and the selected one or another. Nothing if there is no second one."""
    current = next((each for each in versions if each.kind == "current"), None)
    others = [each for each in versions if each is not current]
    if current is None or not others:
        return None
    return current, selected if selected in others else others[0]


def choices(left, right, path):
    """The buttons of two versions that are compared: below the left one, below the right one, and for both of them."""
    if right.kind == "conflict":
        both = [("Keep Both", ["resolve", "--keep", "both", "--", path])]
        return commands(left, path, True)[:1], commands(right, path, True)[:1], both
    return [], commands(right, path, False), []


def commands(version, path, has_conflict):
    """The buttons for a version: their labels, with the words of `ubiquity` that each of them runs."""
    if version is None:
        return []
    found = []
    if version.kind == "history":
        found.append(("Restore", ["restore", "--version", version.name, "--", path]))
    if has_conflict and version.kind in ("current", "conflict"):
        kept = "current" if version.kind == "current" else version.name
        found.append(("Keep This", ["resolve", "--keep", kept, "--", path]))
        found.append(("Keep Both", ["resolve", "--keep", "both", "--", path]))
    return found
