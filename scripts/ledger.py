"""A record of all writes, kept outside the devices under test."""

import contextlib

from devices import Failure

LARGE = 3 << 20


def content(token):
    """The content of a token: the token repeated, mostly in a small size, now and then in many chunks."""
    size = LARGE if token % 17 == 0 else 20 + token * 7919 % 60000
    line = f"{token} ".encode()
    return (line * (size // len(line) + 1))[:size]


class Ledger:
    """What was written, and what was replaced or deleted by a user who had read it."""

    def __init__(self):
        self.next, self.written, self.replaced, self.doubted = 0, set(), set(), set()
        self.copied = set()
        """Contents that were given to a second document: when one of the two is deleted or replaced, the other may stay."""

    def new(self):
        self.next += 1
        return self.next

    def token(self, data, where):
        """Returns the token of what was read. Anything but a complete content is a fault, except for interrupted writes."""
        head = data.split(b" ", 1)[0]
        token = int(head) if head.isdigit() else 0
        if not data or token in self.doubted or token in range(1, self.next + 1) and token not in self.written:
            return None
        if token not in self.written or data != content(token):
            raise Failure(f"{where} has {len(data)} bytes that no user wrote: {data[:20]!r}…")
        return token

    @contextlib.contextmanager
    def act(self, new=None, old=None):
        """An operation that replaces `old` by `new`; if it is interrupted, either may be there. It receives a list, to which it adds anything
        if another document had taken the place of `old`, which then stays where it went."""
        missed = []
        try:
            yield missed
        except OSError:
            self.doubted |= {new, old} - {None}
            raise
        if new:
            self.written.add(new)
        if old and old != new and not missed:
            self.replaced.add(old)
