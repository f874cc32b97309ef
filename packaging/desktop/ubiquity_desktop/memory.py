"""What the program of the desktop keeps from one session to the next: causes that were shown, and pauses that end by themselves."""

import json
import os
import tempfile

_LARGEST = 1 << 20
# A daemon that was switched off a moment ago may still have been online in the facts that arrive now.
_SETTLE = 10
_AGAIN = 60


def file():
    state = os.environ.get("XDG_STATE_HOME", "")
    folder = state if state.startswith("/") else os.path.expanduser("~/.local/state")
    return f"{folder}/ubiquity-desktop/memory.json"


def read(path):
    """The causes with their times, and the ends of pauses by mount. Without a file, or with a damaged one, nothing is known."""
    try:
        with open(path, "rb") as stored:
            fields = json.loads(stored.read(_LARGEST))
        return _pairs(fields["alerts"]), dict(_pairs(fields["pauses"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return (), {}


def _pairs(values):
    return tuple(
        (each[0], each[1]) for each in values
        if isinstance(each, list) and len(each) == 2 and isinstance(each[0], str) and type(each[1]) in (int, float))


def write(path, alerts, pauses):
    """Replaces the file as a whole. Raises OSError."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    text = json.dumps({"format": 1, "alerts": list(alerts), "pauses": list(pauses.items())})
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=os.path.dirname(path), delete=False) as stored:
        try:
            stored.write(text)
            stored.flush()
            os.rename(stored.name, path)
        except OSError:
            os.unlink(stored.name)
            raise


class Pauses:
    """Decides which mounts go online again by themselves, from facts alone."""

    def __init__(self, ends=None):
        # The time of the day at which a mount goes online, and when that was decided.
        self.ends, self._decided = dict(ends or {}), {}

    def begin(self, mount, seconds, now):
        self.ends[mount], self._decided[mount] = now + seconds, now

    def end(self, mount):
        self.ends.pop(mount, None)
        self._decided.pop(mount, None)

    def update(self, mounts, now):
        """Returns the mounts whose pause is over. A mount that went online by other means is forgotten."""
        due = []
        for facts in mounts:
            end = self.ends.get(facts.mount)
            if end is None or not facts.is_reached:
                continue
            is_switched_off = not facts.is_online and facts.reason in ("takenOffline", None)
            if not is_switched_off and now - self._decided.get(facts.mount, 0) > _SETTLE:
                self.end(facts.mount)
            elif now >= end:
                # Tried again then, unless it succeeds.
                self.ends[facts.mount] = now + _AGAIN
                due.append(facts.mount)
        return due
