"""A user who edits in a mount, and a record of what the user wrote, for `namespaces`."""

import contextlib
import json
import os
import random
import threading
import time

from devices import PROGRAM, Failure, run

SLOW = 5
"""Seconds within which each call to a mount has to return, whatever the network does."""
SHARED = [f"shared {number}.txt" for number in range(3)]
OWN = 6
SIZES = 20011
"""A prime: no two of so many contents have the same size."""


def content(token):
    """The content of a token, which identifies it: the token repeated, in a size of its own."""
    line = f"{token} ".encode()
    size = 40 + token * 7919 % SIZES
    return (line * (size // len(line) + 1))[:size]


class Watch:
    """Measures the time of every call, and ends the program when one does not return."""

    def __init__(self):
        self.calls, self.running = [], {}
        threading.Thread(target=self.look, daemon=True).start()

    def look(self):
        while True:
            time.sleep(1)
            for what, since in list(self.running.values()):
                if time.monotonic() - since > 60:
                    print(f"HANG: {what} has not returned for 60 s", flush=True)
                    os._exit(2)

    @contextlib.contextmanager
    def over(self, what):
        begun, me = time.monotonic(), threading.get_ident()
        self.running[me] = (what, begun)
        try:
            yield
        finally:
            del self.running[me]
            self.calls.append(time.monotonic() - begun)
            if self.calls[-1] > SLOW:
                raise Failure(f"{what} took {self.calls[-1]:.1f} s")


class Editor:
    """Edits documents of its own and documents that the other device edits too: in place, or by a temporary file and a rename."""

    def __init__(self, device, seed, watch):
        self.device, self.watch, self.random = device, watch, random.Random(seed)
        self.written, self.replaced, self.failures = set(), set(), []
        # Tokens of A are even, those of B odd.
        self.next = 2 + "AB".index(device.name)

    def prepare(self):
        """Creates the documents that both devices edit."""
        for name in SHARED:
            self.save(name)

    def run(self, over):
        try:
            while not over.is_set():
                own = [f"{self.device.name} {number}.txt" for number in range(OWN)]
                name = self.random.choice(SHARED * 2 + own)
                with contextlib.suppress(BlockingIOError):
                    self.random.choice([self.save, self.write])(name)
                self.call("list", os.listdir, self.device.documents)
                over.wait(self.random.random() * 0.6)
        except (Failure, OSError) as failure:
            self.failures.append(f"{self.device.name}: {failure}")

    def call(self, what, function, *arguments):
        with self.watch.over(f"{self.device.name}: {what} {arguments[0]}"):
            return function(*arguments)

    def save(self, name):
        """Saves by writing a temporary file and renaming it over the document."""
        path = f"{self.device.documents}/{name}"
        token, data = self.new()
        descriptor = self.call("open", os.open, path + ".tmp", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        self.fill(descriptor, data)
        old = self.look(path)
        self.call("rename", os.rename, path + ".tmp", path)
        self.acknowledged(token, old)

    def write(self, name):
        """Writes in place, after reading the replaced content through the same handle."""
        path = f"{self.device.documents}/{name}"
        token, data = self.new()
        # If the newest bytes are not local, this fails at once; a save that does not need them does not have to wait.
        descriptor = self.call("open", os.open, path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK)
        old = self.read(descriptor)
        self.call("truncate", os.ftruncate, descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        self.fill(descriptor, data)
        self.acknowledged(token, old)

    def fill(self, descriptor, data):
        while data:
            data = data[self.call("write", os.write, descriptor, data):]
        self.call("close", os.close, descriptor)

    def look(self, path):
        try:
            descriptor = self.call("open", os.open, path, os.O_RDONLY | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        try:
            return self.read(descriptor)
        finally:
            self.call("close", os.close, descriptor)

    def read(self, descriptor):
        return token(self.call("read", os.read, descriptor, 1 << 20))

    def new(self):
        self.next += 2
        return self.next, content(self.next)

    def acknowledged(self, new, old):
        self.written.add(new)
        if old:
            self.replaced.add(old)


def token(data):
    """Returns the token of a content; None if it is empty. Raises Failure for bytes that no editor wrote."""
    if not data:
        return None
    head = data.split(b" ", 1)[0]
    if not head.isdigit() or data != content(int(head)):
        raise Failure(f"{len(data)} bytes that no editor wrote: {data[:20]!r}…")
    return int(head)


def shown(device):
    """The bytes of all files that a device shows. A file that disappears between the listing and the read is left out."""
    tree = {}
    for name in os.listdir(device.documents):
        if not name.endswith(".tmp"):
            with contextlib.suppress(FileNotFoundError), open(f"{device.documents}/{name}", "rb") as file:
                tree[name] = file.read()
    return tree


def lost(editors, device):
    """Contents that were written, not replaced by an editor who had read them, and are neither shown nor in the history of a document."""
    tree = shown(device)
    there = {token(data) for data in tree.values()}
    written = set().union(*(editor.written for editor in editors))
    missing = written - set().union(*(editor.replaced for editor in editors)) - there
    if missing:
        kept = set()
        for name in tree:
            listed = json.loads(run(PROGRAM, "versions", f"{device.documents}/{name}", "--json"))
            kept |= {version["size"] for version in listed["versions"]}
        missing = {number for number in missing if len(content(number)) not in kept}
    return [f"lost: {content(number)[:8]!r}" for number in sorted(missing)]
