"""Asks the daemon of one mount for the states of files."""

import time
from collections import OrderedDict

from . import frames
from .channel import Channel, Timing, paths

# The daemon accepts so many paths in one request.
BATCH = 1_000


class Link:
    """Asks one daemon for the states of paths, one request at a time, and follows what happens in its mount. No method waits.

    The owner is called: `find(path)` for the mount's record, `linked`, `learned`, `happened` and `lost`.
    """

    def __init__(self, path, owner, loop, timing=Timing(), clock=time.monotonic):
        self.path = path
        self._owner, self._loop, self._timing = owner, loop, timing
        self._waiting = OrderedDict()
        # The number of the loop while paths are gathered, and whether a request is under way.
        self._gathering, self._is_asking = None, False
        self._channel = Channel(path, self, loop, "file manager", timing, clock)

    def ask(self, asked):
        """Asks for the states of paths below the mount, as soon as the request before this one is answered."""
        # Once the daemon answers, `linked` asks for all that is followed.
        if not self._channel.is_ready:
            return
        for path in asked:
            self._waiting[path] = None
        self._ask_soon()

    def close(self):
        self._stop()
        self._channel.close()

    def _stop(self):
        self._waiting.clear()
        self._is_asking = False
        if self._gathering is not None:
            self._loop.cancel(self._gathering)
            self._gathering = None

    def _ask_soon(self):
        if self._waiting and not self._is_asking and self._gathering is None:
            self._gathering = self._loop.later(self._timing.gather, self._ask_next)

    def _ask_next(self):
        self._gathering = None
        asked = [self._waiting.popitem(last=False)[0] for _ in range(min(BATCH, len(self._waiting)))]
        self._is_asking = True
        self._channel.call(
            "emblems", {"paths": [frames.encode_path(path) for path in asked]}, lambda message: self._answered(asked, message))

    def _answered(self, asked, message):
        if message is None:
            return
        try:
            states = message["response"]["emblems"]["emblems"]
            if len(states) != len(asked) or not all(isinstance(state, str) for state in states):
                raise ValueError
        except (KeyError, TypeError, ValueError):
            # A refusal, or not one state for each path.
            return self._channel.fail()
        self._is_asking = False
        self._owner.learned(self, dict(zip(asked, states)))
        self._ask_soon()

    # Called by the channel.

    def find(self, path):
        return self._owner.find(path)

    def linked(self):
        self._owner.linked(self)

    def lost(self):
        self._stop()
        self._owner.lost(self)

    def happened(self, event):
        self._owner.happened(self, None if event is None else paths(event))
