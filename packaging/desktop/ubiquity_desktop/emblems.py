"""The states of the files that a view shows."""

import time
from collections import OrderedDict

from . import mounts
from .channel import Timing
from .link import Link

# Files that are followed; a view that shows more asks again when it shows them again.
LIMIT = 20_000
# Seconds for which the list of mounts is used.
_FRESH = 2


class Emblems:
    """Knows the states of files that a view has asked for, and follows them. No method waits.

    `changed` is called with a list of paths whose states changed.
    """

    def __init__(self, changed, loop, read_mounts=mounts.read, timing=Timing(), clock=time.monotonic):
        self._changed, self._loop, self._read_mounts, self._timing, self._clock = changed, loop, read_mounts, timing, clock
        # From a path to its state; nothing while it is not known. The ones asked for last are at the end.
        self._known = OrderedDict()
        self._mounts, self._read_at, self._reading = {}, None, None
        self._links = {}

    def state(self, path):
        """The state of a file; nothing if it is not known yet, `changed` is called when it is."""
        state = self._known.get(path, "outside")
        if state == "outside":
            place = mounts.containing(path, self._links)
            if place is not None:
                state = None
                self._links[place[0]].ask([place[1]])
            else:
                self._read_soon()
        self._known[path] = state
        self._known.move_to_end(path)
        if len(self._known) > LIMIT:
            self._known.popitem(last=False)
        return state

    def is_inside(self, path):
        """Whether a path is in one of the mounts that were found last."""
        self._read_soon()
        return mounts.containing(path, self._links) is not None

    def refresh(self, paths):
        """Asks again for these files and for what is in them, because a command may have changed what no event reports."""
        above = tuple(path.rstrip("/") + "/" for path in paths)
        for mount, link in self._links.items():
            link.ask([
                path[len(mount) + 1:] for path in self._under(mount) if path in paths or path.startswith(above)
            ])

    def close(self):
        if self._reading is not None:
            self._loop.cancel(self._reading)
        for link in self._links.values():
            link.close()

    # The list of mounts: a few small files in the folder of the session.

    def _read_soon(self):
        is_fresh = self._read_at is not None and self._clock() - self._read_at < _FRESH
        if self._reading is None and not is_fresh:
            self._reading = self._loop.later(0, self._read)

    def _read(self):
        self._reading, self._read_at = None, self._clock()
        for mount in self._read_mounts():
            if mount in self._links:
                continue
            link = self._links[mount] = Link(mount, self, self._loop, self._timing, self._clock)
            for path in self._under(mount):
                self._known[path] = None
            link.ask([path[len(mount) + 1:] for path in self._under(mount)])

    # Called by a link.

    def find(self, path):
        return self._read_mounts().get(path)

    def linked(self, link):
        link.ask([path[len(link.path) + 1:] for path in self._under(link.path)])

    def learned(self, link, states):
        changed = []
        for path, state in states.items():
            path = f"{link.path}/{path}" if path else link.path
            if path in self._known and self._known[path] != state:
                self._known[path] = state
                changed.append(path)
        if changed:
            self._changed(changed)

    def happened(self, link, paths):
        """Asks again for paths that are followed; for all of them if events were missed."""
        if paths is None:
            return self.linked(link)
        followed = {}
        for path in paths:
            if f"{link.path}/{path}" in self._known:
                followed[path] = None
            # The state of a package is that of everything in it.
            above = path.rpartition("/")[0]
            while above:
                if self._known.get(f"{link.path}/{above}") not in (None, "folder"):
                    followed[above] = None
                above = above.rpartition("/")[0]
        link.ask(followed)

    def lost(self, link):
        """An old state is worse than none."""
        paths = [path for path in self._under(link.path) if self._known[path] is not None]
        for path in paths:
            self._known[path] = None
        if paths:
            self._changed(paths)

    def _under(self, mount):
        """The followed files whose mount this is, not one inside of it."""
        inside = [path for path in self._known if path == mount or path.startswith(mount + "/")]
        if len(self._links) == 1:
            return inside
        return [path for path in inside if mounts.containing(path, self._links)[0] == mount]
