"""Follows the state of one mount for the program of the desktop."""

import time
from typing import NamedTuple

from . import facts
from .channel import Channel, Timing


class Pace(NamedTuple):
    """Seconds between two requests for the state."""

    # After an event; events come by the thousand.
    soon: float = 0.3
    # While something is transferred: what a person sees of the progress.
    busy: float = 1
    # The list of conflicts, while their number stays the same.
    conflicts: float = 5
    # Otherwise, because some of the state has no events (a program that was refused documents).
    idle: float = 15


class Follower:
    """Knows the facts of a mount. It requests them after events, and otherwise rarely. No method waits.

    The owner is called: `find(path)` for the mount's record, `learned()` when the facts are others, and `happened(mount, event)`.
    """

    def __init__(self, mount, owner, loop, timing=Timing(), pace=Pace(), clock=time.monotonic):
        self.mount = mount
        self.facts = facts.Facts(mount)
        self._owner, self._loop, self._pace, self._clock = owner, loop, pace, clock
        self._number, self._due = None, 0
        self._is_asking = False
        # Whether the network is metered, what the daemon knows of that by this connection, and whether a report is under way.
        self._is_metered, self._reported, self._is_reporting = False, False, False
        # How many conflicts there were when they were listed, when that was, and whether there were events since.
        self._counted, self._listed, self._has_events = None, 0, False
        self._channel = Channel(mount, self, loop, "ubiquity-desktop", timing, clock)

    def call(self, verb, body, done, patience=None):
        return self._channel.call(verb, body, done, patience)

    def refresh(self):
        """Requests the facts now, because a person looks at them or has changed them."""
        self._ask_in(0)

    def report_metered(self, is_metered):
        """Reports to the daemon whether the network is metered. The daemon forgets it with the connection, so each connection begins with
        it.
        """
        self._is_metered = is_metered
        self._report()

    def hurry(self):
        self._channel.hurry()

    def close(self):
        self._stop()
        self._channel.close()

    # The network.

    def _report(self):
        # One report at a time: the daemon handles requests side by side.
        if self._is_reporting or self._reported == self._is_metered:
            return
        reported = self._is_metered

        def done(message):
            if message is None:
                return
            self._is_reporting = False
            failure = message.get("failure")
            # An older daemon has no such request. After another failure the next request for the state repeats it.
            if isinstance(failure, dict) and failure.get("code") != "unsupported":
                return
            self._reported = reported
            self.refresh()
            self._report()

        self._is_reporting = self._channel.call("reportMetered", {"isMetered": reported}, done)

    # The state.

    def _ask_in(self, seconds):
        if not self._channel.is_ready or self._is_asking:
            # The response to the request under way decides when the next one is due.
            self._due = min(self._due, seconds)
            return
        due = self._clock() + seconds
        if self._number is not None:
            if self._at <= due:
                return
            self._loop.cancel(self._number)
        self._at, self._number = due, self._loop.later(seconds, self._ask)

    def _ask(self):
        self._number, self._due, self._is_asking = None, self._pace.idle, True
        self._report()
        if not self._channel.call("status", {"paths": []}, self._answered):
            self._is_asking = False
            self._ask_in(self._pace.busy)

    def _answered(self, message):
        if message is None:
            return
        found = facts.parse(self.mount, message.get("response"), self.facts.conflicts)
        if found is None:
            # A daemon that is busy, or of another version; the pace of an idle one is enough.
            return self._next()
        if found.conflict_count == 0:
            self._counted = 0
            return self._learned(found._replace(conflicts=()))
        now = self._clock()
        is_due = self._has_events and now - self._listed >= self._pace.conflicts
        if found.conflict_count == self._counted and not is_due:
            return self._learned(found)
        self._counted, self._listed, self._has_events = found.conflict_count, now, False

        def done(answer):
            if answer is None:
                return
            # A list that is too long for one message is known by its number only.
            conflicts = facts.parse_conflicts(answer.get("response"))
            self._learned(found if conflicts is None else found._replace(conflicts=conflicts))

        if not self._channel.call("conflicts", {"path": ""}, done):
            self._counted = None
            self._learned(found)

    def _learned(self, found):
        is_other, self.facts = found != self.facts, found
        self._next()
        if is_other:
            self._owner.learned()

    def _next(self):
        self._is_asking = False
        pace = self._pace.busy if self.facts.is_busy and not self.facts.is_held else self._pace.idle
        self._ask_in(min(pace, max(self._due, self._pace.soon)))

    def _stop(self):
        self._is_asking = False
        if self._number is not None:
            self._loop.cancel(self._number)
            self._number = None

    # Called by the channel.

    def find(self, path):
        return self._owner.find(path)

    def linked(self):
        self._counted = None
        self._reported, self._is_reporting = False, False
        self._report()
        self._ask_in(0)

    def lost(self):
        self._stop()
        is_other, self.facts = self.facts.is_reached, facts.Facts(self.mount)
        if is_other:
            self._owner.learned()

    def happened(self, event):
        self._has_events = True
        self._ask_in(self._pace.soon)
        if event is not None:
            self._owner.happened(self.mount, event)
