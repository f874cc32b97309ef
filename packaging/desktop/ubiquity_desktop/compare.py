"""Compares two versions of a text line by line, for two columns side by side. Without a window."""

import difflib
import itertools
import re
from typing import NamedTuple, Tuple

# The bytes of a text, and the lines of it, that are compared.
LARGEST, _MOST = 1 << 20, 5_000
# Lines whose words are compared one by one, the longest such line, and the longest line that is shown.
_FINE_LINES, _FINE, _LONGEST = 500, 400, 4_000
EQUAL, CHANGED, ADDED, REMOVED = "equal", "changed", "added", "removed"


class Cell(NamedTuple):
    """A line of one column; nothing in place of the text: the other column has a line here."""

    text: str
    kind: str
    # The parts of the text that differ, as pairs of the first character and the one after the last.
    marks: Tuple[Tuple[int, int], ...] = ()
    is_there: bool = True


class Comparison(NamedTuple):
    left: Tuple[Cell, ...]
    right: Tuple[Cell, ...]
    # Whether lines are missing at the end of a column.
    is_cut: bool

    @property
    def count(self):
        """The number of places that differ."""
        kinds = [EQUAL] + [cell.kind if cell.is_there else right.kind for cell, right in zip(self.left, self.right)]
        return sum(kind != EQUAL and before == EQUAL for before, kind in zip(kinds, kinds[1:]))


def text(data):
    """The text in a file's bytes; nothing if it is none, or too long to be compared."""
    if len(data) > LARGEST:
        return None
    for encoding, mark in (("utf-8-sig", b""), ("utf-16", b"\xff\xfe"), ("utf-16", b"\xfe\xff")):
        if data.startswith(mark):
            try:
                found = data.decode(encoding)
            except UnicodeDecodeError:
                continue
            if "\0" not in found:
                return found
    return None


def compare(left, right):
    """Compares two texts. The time is bounded by the number of lines that are compared."""
    ours, theirs = left.splitlines(), right.splitlines()
    is_cut = max(len(ours), len(theirs)) > _MOST or any(len(line) > _LONGEST for line in ours + theirs)
    ours, theirs = ([line[:_LONGEST] for line in lines[:_MOST]] for lines in (ours, theirs))
    columns, fine = ([], []), _FINE_LINES
    for operation, a, b, c, d in difflib.SequenceMatcher(None, ours, theirs).get_opcodes():
        if operation == "equal":
            for line in ours[a:b]:
                _add(columns, Cell(line, EQUAL), Cell(line, EQUAL))
            continue
        for index in range(max(b - a, d - c)):
            old = ours[a + index] if a + index < b else None
            new = theirs[c + index] if c + index < d else None
            if old is not None and new is not None:
                marks = _marks(old, new, fine > 0)
                fine -= 1
                _add(columns, Cell(old, CHANGED, marks[0]), Cell(new, CHANGED, marks[1]))
            elif old is not None:
                _add(columns, Cell(old, REMOVED), Cell("", REMOVED, is_there=False))
            else:
                _add(columns, Cell("", ADDED, is_there=False), Cell(new, ADDED))
    return Comparison(tuple(columns[0]), tuple(columns[1]), is_cut)


def _add(columns, left, right):
    columns[0].append(left)
    columns[1].append(right)


def _marks(old, new, is_fine):
    if not is_fine or max(len(old), len(new)) > _FINE:
        return ((0, len(old)),), ((0, len(new)),)
    # By words: letters that two words happen to share say nothing.
    words = [re.findall(r"\w+|\W", line) for line in (old, new)]
    parts = [each for each in difflib.SequenceMatcher(None, *words, autojunk=False).get_opcodes() if each[0] != "equal"]
    ours, theirs = ([0, *itertools.accumulate(map(len, each))] for each in words)
    return (
        tuple((ours[a], ours[b]) for _, a, b, _, _ in parts if a < b),
        tuple((theirs[c], theirs[d]) for _, _, _, c, d in parts if c < d))


def fit(width, height, room_width, room_height):
    """The size at which a picture is shown in a room: never larger than it is, with its proportions."""
    scale = min(1, room_width / max(width, 1), room_height / max(height, 1))
    return max(1, int(width * scale)), max(1, int(height * scale))
