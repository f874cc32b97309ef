"""The connection to the daemon of one mount, which comes back by itself."""

import os
import random
import socket
import time
from typing import NamedTuple

from . import frames

# The longest path of a unix socket (unix(7)), without the final zero.
_LONGEST_ADDRESS = 107
# The daemon accepts so many requests at once.
_UNDER_WAY = 8


class Timing(NamedTuple):
    """Seconds."""

    # A view asks for one file after the other: those of this time are asked together.
    gather: float = 0.01
    answer: float = 5
    # The daemon sends something every 2 seconds.
    silence: float = 15
    first_pause: float = 1
    longest_pause: float = 60


class Channel:
    """Sends requests to one daemon, and follows what happens in its mount. No method waits.

    The owner is called: `find(path)` for the mount's record, `linked()` when the daemon answers, `lost()` when it does not any more, and
    `happened(event)`, whose event is nothing where some were missed.
    """

    def __init__(self, path, owner, loop, program, timing=Timing(), clock=time.monotonic):
        self.path = path
        self.is_ready = False
        self._owner, self._loop, self._program, self._timing, self._clock = owner, loop, program, timing, clock
        self._connection = None
        # Numbers of the loop, by what they are for.
        self._numbers = {}
        self._failures = 0
        # Requests without a response, by number: the call at the end, and when the response is late.
        self._calls = {}
        self._after("open", 0, self._open)

    def call(self, verb, body, done, patience=None):
        """Sends a request; false if there is no connection, or too much is under way. `done` is called with the message that ends it, or
        with nothing when the connection was lost.
        """
        if not self.is_ready or len(self._calls) >= _UNDER_WAY:
            return False
        self._last_id += 1
        self._calls[self._last_id] = (done, self._clock() + (patience or self._timing.answer))
        try:
            self._send(self._last_id, {verb: body})
        except (OSError, frames.ProtocolError):
            self.fail()
        return True

    def hurry(self):
        """Connects now if it waits for the next attempt: there is reason to believe that the daemon is back."""
        if self._connection is None:
            self._after("open", 0, self._open)

    def close(self):
        self._disconnect()
        for purpose in list(self._numbers):
            self._cancel(purpose)
        self._calls.clear()

    def fail(self):
        """The daemon is away, frozen, or of another version: connects again after a pause."""
        self._disconnect()
        self._failures = 1 if self.is_ready else self._failures + 1
        self.is_ready = False
        pause = min(self._timing.first_pause * 2 ** min(self._failures - 1, 10), self._timing.longest_pause)
        self._after("open", pause * random.uniform(0.75, 1.25), self._open)
        calls, self._calls = self._calls, {}
        for done, _ in calls.values():
            done(None)
        self._owner.lost()

    # The loop.

    def _after(self, purpose, seconds, call):
        def due():
            del self._numbers[purpose]
            call()

        self._cancel(purpose)
        self._numbers[purpose] = self._loop.later(seconds, due)

    def _cancel(self, purpose):
        number = self._numbers.pop(purpose, None)
        if number is not None:
            self._loop.cancel(number)

    # The connection.

    def _open(self):
        self.is_ready, self._last_id = False, 2
        self._splitter, self._unsent = frames.Splitter(), b""
        self._heard = self._clock()
        mount = self._owner.find(self.path)
        try:
            if mount is None:
                raise frames.ProtocolError("there is no such mount")
            self._connection = connect(mount.socket)
            self._numbers["read"] = self._loop.readable(self._connection.fileno(), self._read)
            self._send(1, {"hello": {"program": self._program, "version": {"major": 1, "minor": 9}}})
            self._send(2, {"monitor": {}})
        except (OSError, frames.ProtocolError):
            return self.fail()
        self._after("check", self._timing.answer, self._check)

    def _disconnect(self):
        for purpose in ("read", "write", "check"):
            self._cancel(purpose)
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _check(self):
        now = self._clock()
        is_late = any(now > deadline for _, deadline in self._calls.values())
        is_silent = now - self._heard > (self._timing.silence if self.is_ready else self._timing.answer / 2)
        if is_late or is_silent:
            return self.fail()
        self._after("check", self._timing.answer, self._check)

    def _send(self, number, request):
        self._unsent += frames.encode({"id": number, "request": request})
        self._write()

    def _write(self):
        try:
            while self._unsent:
                self._unsent = self._unsent[self._connection.send(self._unsent):]
        except BlockingIOError:
            if "write" not in self._numbers:
                self._numbers["write"] = self._loop.writable(self._connection.fileno(), self._write_on)
            return
        self._cancel("write")

    def _write_on(self):
        try:
            self._write()
        except OSError:
            self.fail()

    def _read(self):
        try:
            data = self._connection.recv(1 << 18)
            if not data:
                raise frames.ProtocolError("the daemon has closed the connection")
            self._heard = self._clock()
            connection = self._connection
            for message in self._splitter.add(data):
                self._received(message)
                # What was called has ended this connection.
                if self._connection is not connection:
                    return
        except BlockingIOError:
            pass
        except (OSError, frames.ProtocolError):
            self.fail()

    def _received(self, message):
        number = message.get("id")
        is_end = "failure" in message or "response" in message
        if isinstance(number, int) and number > 2:
            if is_end and number in self._calls:
                self._calls.pop(number)[0](message)
        elif "failure" in message:
            # A link without the monitor would show old states, so it is set up again after a pause.
            raise frames.ProtocolError("the daemon refuses")
        elif number == 1 and "response" in message:
            self.is_ready = True
            self._owner.linked()
        elif number == 2 and "event" in message:
            self._happened(message["event"])
        elif number == 2:
            raise frames.ProtocolError("the daemon ends")

    def _happened(self, event):
        happening = event.get("happened") if isinstance(event, dict) else None
        if isinstance(happening, dict):
            self._owner.happened(None if happening.get("kind") == "missed" else happening)


def paths(happening, keys=("path", "from")):
    """The paths that an event names, without what is no path."""
    found = [frames.decode_path(happening[key]) for key in keys if happening.get(key) is not None]
    return [path for path in found if path is not None]


def connect(path):
    """Connects at once or fails: a unix socket has no network to wait for."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.setblocking(False)
        if len(os.fsencode(path)) <= _LONGEST_ADDRESS:
            connection.connect(path)
        else:
            folder, name = os.path.split(path)
            descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY)
            try:
                connection.connect(f"/proc/self/fd/{descriptor}/{name}")
            finally:
                os.close(descriptor)
    except BaseException:
        connection.close()
        raise
    return connection
