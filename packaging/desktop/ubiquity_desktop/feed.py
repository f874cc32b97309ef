"""Serves an extension that is not written in Python: emblems and menus over two pipes, one JSON object in each line.

Requests: {"follow": [URI]}, {"menu": NUMBER, "uris": [URI]}, {"perform": NAME, "uris": [URI]}.
Responses: {"emblems": {URI: ICON}}, {"menu": NUMBER, "items": [[NAME, LABEL, TIP]]}, {"copy": TEXT}, {"error": TEXT}.
An icon without a name is none. Files are named by URIs, as a path may have bytes that JSON cannot hold.
"""

import json
import os
import urllib.parse
from collections import OrderedDict

from . import menu, texts
from .emblems import LIMIT

# The longest line, which is a menu for many files, and the files of one.
LONGEST = 8 << 20
MOST = 20_000


class Feed:
    """`write` takes the bytes of a line; `perform` a command, paths, and what to call with its output, as in `actions`.

    `make_emblems` is called with the function that takes the paths whose states changed.
    """

    def __init__(self, make_emblems, write, perform):
        self._write, self._perform = write, perform
        self._buffer, self._skips = bytearray(), False
        # From a path to the URI by which the extension asked for it. The ones asked for last are at the end.
        self._followed = OrderedDict()
        self._emblems = make_emblems(self._changed)
        # The mounts are known before the first menu opens.
        self._emblems.is_inside("/")

    def receive(self, data):
        """Takes bytes from the pipe, in any pieces."""
        *lines, rest = (bytes(self._buffer) + data).split(b"\n")
        for line in lines:
            if self._skips:
                self._skips = False
            elif len(line) > LONGEST:
                self._refuse(f"a line has more than {LONGEST} bytes")
            else:
                self._serve(line)
        # The beginning of a line that is too long is not kept.
        if self._skips or len(rest) > LONGEST:
            if not self._skips:
                self._refuse(f"a line has more than {LONGEST} bytes")
            self._skips, rest = True, b""
        self._buffer = bytearray(rest)

    def close(self):
        self._emblems.close()

    def _serve(self, line):
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise ValueError("a request is an object")
            if "follow" in request:
                self._follow(_paths(request["follow"]))
            elif "menu" in request:
                self._menu(request["menu"], list(_paths(request["uris"])))
            elif "perform" in request:
                self._command(request["perform"], list(_paths(request["uris"])))
            else:
                raise ValueError("it asks for nothing that is known")
        except (KeyError, ValueError, RecursionError) as error:
            self._refuse(f"a line is no request: {error}")

    def _refuse(self, text):
        self._send({"error": text})

    def _send(self, message):
        self._write(json.dumps(message).encode() + b"\n")

    # Requests.

    def _follow(self, asked):
        for path, uri in asked.items():
            self._followed[path] = uri
            self._followed.move_to_end(path)
            if len(self._followed) > LIMIT:
                self._followed.popitem(last=False)
        known = {uri: icon(state) for path, uri in asked.items() if (state := self._emblems.state(path)) is not None}
        if known:
            self._send({"emblems": known})

    def _changed(self, paths):
        found = {self._followed[path]: icon(self._emblems.state(path)) for path in paths if path in self._followed}
        if found:
            self._send({"emblems": found})

    def _menu(self, number, paths):
        if type(number) is not int:
            raise ValueError("the number of a menu is an integer")
        self._send({"menu": number, "items": [[each.name, each.label, each.tip] for each in self._commands(paths)]})

    def _commands(self, paths):
        states = [self._emblems.state(path) for path in paths]
        if None not in states:
            return menu.commands(states)
        # A menu does not wait for states.
        return menu.general(len(paths)) if all(self._emblems.is_inside(path) for path in paths) else []

    def _command(self, name, paths):
        command = next((each for each in self._commands(paths) if each.name == name), None)
        if command is None:
            raise ValueError("it names a command that these files do not have")

        def done(output):
            self._emblems.refresh(paths)
            if output is not None and command.copies_link:
                self._send({"copy": output.strip()})

        self._perform(command, paths, done)


def icon(state):
    """The whole name of an icon; an empty one for a state without."""
    name = texts.emblem(state)
    return "" if name is None else f"emblem-{name}"


def _paths(uris):
    """The URIs of a request by their paths. Raises ValueError."""
    if not isinstance(uris, list) or len(uris) > MOST:
        raise ValueError(f"the files are a list of {MOST} at most")
    found = {}
    for uri in uris:
        if not isinstance(uri, str) or not uri.startswith("file:///"):
            raise ValueError("a file is named by a URI that begins with file:///")
        path = urllib.parse.unquote_to_bytes(uri[len("file://"):])
        if b"\0" in path:
            raise ValueError("a path has no zero byte")
        # A folder may come with a slash at its end.
        found[os.fsdecode(path.rstrip(b"/") or b"/")] = uri
    return found
