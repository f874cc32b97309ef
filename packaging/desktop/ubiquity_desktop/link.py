"""The connection to the daemon of one mount."""

import os
import random
import socket
import time
from collections import OrderedDict
from typing import NamedTuple

from . import frames

# The daemon accepts so many paths in one request.
BATCH = 1_000
# The longest path of a unix socket (unix(7)), without the final zero.
_LONGEST_ADDRESS = 107


class Timing(NamedTuple):
    """Seconds."""

    # A view asks for one file after the other: those of this time are asked together.
    gather: float = 0.01
    answer: float = 5
    # The daemon sends something every 2 seconds.
    silence: float = 15
    first_pause: float = 1
    longest_pause: float = 60


class Link:
    """Asks one daemon for the states of paths, one request at a time, and follows what happens in its mount. No method waits.

    The owner is called: `find(path)` for the mount's record, `linked`, `learned`, `happened` and `lost`.
    """

    def __init__(self, path, owner, loop, timing=Timing(), clock=time.monotonic):
        self.path = path
        self._owner, self._loop, self._timing, self._clock = owner, loop, timing, clock
        self._waiting = OrderedDict()
        self._connection = None
        # Numbers of the loop, by what they are for.
        self._numbers = {}
        self._failures = 0
        self._is_ready = False
        self._after("open", 0, self._open)

    def ask(self, paths):
        """Asks for the states of paths below the mount, as soon as the request before this one is answered."""
        # Once the daemon answers, `linked` asks for all that is followed.
        if not self._is_ready:
            return
        for path in paths:
            self._waiting[path] = None
        self._ask_soon()

    def close(self):
        self._disconnect()
        for purpose in list(self._numbers):
            self._cancel(purpose)

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
        self._is_ready, self._request, self._last_id = False, None, 2
        self._splitter, self._unsent = frames.Splitter(), b""
        self._heard = self._clock()
        mount = self._owner.find(self.path)
        try:
            if mount is None:
                raise frames.ProtocolError("there is no such mount")
            self._connection = _connect(mount.socket)
            self._numbers["read"] = self._loop.readable(self._connection.fileno(), self._read)
            self._send(1, {"hello": {"program": "file manager", "version": {"major": 1, "minor": 9}}})
            self._send(2, {"monitor": {}})
        except (OSError, frames.ProtocolError):
            return self._fail()
        self._after("check", self._timing.answer, self._check)

    def _disconnect(self):
        for purpose in ("read", "write", "check", "gather"):
            self._cancel(purpose)
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _fail(self):
        """The daemon is away, frozen, or of another version: no state is known until one answers."""
        self._disconnect()
        self._waiting.clear()
        self._failures = 1 if self._is_ready else self._failures + 1
        self._is_ready = False
        pause = min(self._timing.first_pause * 2 ** min(self._failures - 1, 10), self._timing.longest_pause)
        self._after("open", pause * random.uniform(0.75, 1.25), self._open)
        self._owner.lost(self)

    def _check(self):
        now = self._clock()
        is_late = self._request is not None and now > self._request[2]
        is_silent = now - self._heard > (self._timing.silence if self._is_ready else self._timing.answer / 2)
        if is_late or is_silent:
            return self._fail()
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
            self._fail()

    def _read(self):
        try:
            data = self._connection.recv(1 << 18)
            if not data:
                raise frames.ProtocolError("the daemon has closed the connection")
            self._heard = self._clock()
            for message in self._splitter.add(data):
                self._received(message)
            self._ask_soon()
        except BlockingIOError:
            pass
        except (OSError, frames.ProtocolError):
            self._fail()

    # Requests.

    def _ask_soon(self):
        if self._is_ready and self._request is None and self._waiting and "gather" not in self._numbers:
            self._after("gather", self._timing.gather, self._ask_next)

    def _ask_next(self):
        paths = [self._waiting.popitem(last=False)[0] for _ in range(min(BATCH, len(self._waiting)))]
        self._last_id += 1
        self._request = (self._last_id, paths, self._clock() + self._timing.answer)
        try:
            self._send(self._last_id, {"emblems": {"paths": [frames.encode_path(path) for path in paths]}})
        except (OSError, frames.ProtocolError):
            self._fail()

    def _received(self, message):
        number = message.get("id")
        is_answer = self._request is not None and number == self._request[0]
        if "failure" in message:
            # A link without the monitor would show old states, so it is set up again after a pause.
            raise frames.ProtocolError("the daemon refuses")
        if number == 1 and "response" in message:
            self._is_ready = True
            self._owner.linked(self)
        elif number == 2 and "event" in message:
            self._happened(message["event"])
        elif number == 2:
            raise frames.ProtocolError("the daemon ends")
        elif is_answer and "response" in message:
            self._answered(message["response"])

    def _answered(self, response):
        (_, paths, _), self._request = self._request, None
        try:
            states = response["emblems"]["emblems"]
            if len(states) != len(paths) or not all(isinstance(state, str) for state in states):
                raise ValueError
        except (KeyError, TypeError, ValueError) as error:
            raise frames.ProtocolError("the daemon did not answer with one state for each path") from error
        self._owner.learned(self, dict(zip(paths, states)))

    def _happened(self, event):
        happening = event.get("happened") if isinstance(event, dict) else None
        if not isinstance(happening, dict):
            return
        if happening.get("kind") == "missed":
            return self._owner.happened(self, None)
        paths = [frames.decode_path(happening[key]) for key in ("path", "from") if happening.get(key) is not None]
        self._owner.happened(self, [path for path in paths if path is not None])


def _connect(path):
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
