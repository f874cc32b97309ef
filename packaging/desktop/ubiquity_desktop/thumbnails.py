"""Keeps the pictures that file managers have made of documents (https://specifications.freedesktop.org/thumbnail-spec).

A thumbnail is valid while the URI and the modification time of its document are those that it was made for. Eviction changes neither, so
an evicted document keeps its picture. What has to be done: a document that moved takes its picture along, and a mark that a thumbnailer
failed is removed when the bytes are here, because while they were in the cloud no thumbnailer could read them.
"""

import hashlib
import os
import queue
import struct
import tempfile
import threading
import time
import zlib
from urllib.parse import quote

from .channel import paths

SIZES = ("normal", "large", "x-large", "xx-large")
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_URI = b"Thumb::URI"
# Text as it is, compressed (as Qt writes longer ones), and in UTF-8. A URI has none but ASCII characters.
_TEXTS = (b"tEXt", b"zTXt", b"iTXt")
# The largest picture of the specification has 1,024 times 1,024 pixels.
_LARGEST = 16 << 20
# Documents of a moved folder that are looked at.
_MOST = 5_000
# Seconds for which the list of programs with marks is used, and the most of them.
_FRESH, _PROGRAMS = 30, 50
# As GLib writes a URI of a path; thumbnails are named by it.
_UNESCAPED = "/!$&'()*+,:=@~"


def uri(path):
    return "file://" + quote(os.fsencode(path), safe=_UNESCAPED)


def name(path):
    return hashlib.md5(uri(path).encode(), usedforsecurity=False).hexdigest() + ".png"


def with_uri(picture, new):
    """A PNG whose text names another URI; nothing if it is no thumbnail."""
    if not picture.startswith(_SIGNATURE):
        return None
    parts, position, is_found = [_SIGNATURE], len(_SIGNATURE), False
    while position + 12 <= len(picture):
        (length,) = struct.unpack_from(">I", picture, position)
        end = position + 12 + length
        if end > len(picture):
            return None
        kind, data = picture[position + 4:position + 8], picture[position + 8:end - 4]
        if kind in _TEXTS and data.partition(b"\0")[0] == _URI:
            kind, data, is_found = b"tEXt", _URI + b"\0" + new.encode("latin-1"), True
            parts.append(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)))
        else:
            parts.append(picture[position:end])
        position = end
        if kind == b"IEND":
            return b"".join(parts) if is_found else None
    return None


class Thumbnails:
    """Carries this out for events of mounts. It reads disks, so it waits: `Worker` runs it."""

    def __init__(self, folder=None, clock=time.monotonic):
        cache = os.environ.get("XDG_CACHE_HOME", "")
        cache = cache if cache.startswith("/") else os.path.expanduser("~/.cache")
        self._folder, self._clock = folder or f"{cache}/thumbnails", clock
        self._marks, self._looked = (), None

    def happened(self, mount, event):
        kind, found = event.get("kind"), paths(event)
        item = event.get("item") if isinstance(event.get("item"), dict) else {}
        if kind == "moved" and len(found) == 2:
            new, old = (f"{mount}/{path}" for path in found)
            self.move(old, new)
            if item.get("kind") in ("folder", "package"):
                self._move_below(old, new)
        # Where the bytes are not here, the mark stays: the next program would only write it again.
        elif kind in ("status", "changed", "created") and found and item.get("downloadingStatus") == "current":
            self.arrived(f"{mount}/{found[0]}")

    def arrived(self, path):
        """The bytes of a document are here: what failed without them may succeed."""
        file = name(path)
        for marks in self._programs():
            try:
                os.unlink(f"{marks}/{file}")
            except OSError:
                # Mostly there is none. One that cannot be removed is the thumbnailer's to replace.
                continue

    def _programs(self):
        if self._looked is None or self._clock() - self._looked > _FRESH:
            self._looked = self._clock()
            try:
                with os.scandir(f"{self._folder}/fail") as entries:
                    self._marks = tuple(entry.path for entry in entries if entry.is_dir(follow_symlinks=False))[:_PROGRAMS]
            except OSError:
                self._marks = ()
        return self._marks

    def _move_below(self, old, new):
        left = _MOST
        for folder, _, files in os.walk(new):
            for file in files[:left]:
                path = f"{folder}/{file}"
                self.move(f"{old}{path[len(new):]}", path)
            left -= len(files)
            if left <= 0:
                return

    def move(self, old, new):
        """Gives the thumbnails of one path to another. What the other path had was of a document that this one has replaced."""
        for size in SIZES:
            source, target = (f"{self._folder}/{size}/{name(path)}" for path in (old, new))
            try:
                with open(source, "rb") as file:
                    picture = file.read(_LARGEST + 1)
                picture = with_uri(picture, uri(new)) if len(picture) <= _LARGEST else None
                if picture is not None:
                    _write(target, picture)
                    os.unlink(source)
            except OSError:
                # There is none, or no room for it. A picture that is missing is made again when the document is here.
                continue


def _write(target, picture):
    with tempfile.NamedTemporaryFile(dir=os.path.dirname(target), delete=False) as file:
        try:
            file.write(picture)
            file.flush()
            os.rename(file.name, target)
        except OSError:
            os.unlink(file.name)
            raise


class Worker:
    """Runs calls one after the other on a thread of its own, because they read disks and a mount whose daemon may be frozen."""

    def __init__(self, most=1_000):
        self._calls = queue.Queue(most)
        threading.Thread(target=self._run, daemon=True).start()

    def later(self, call, *arguments):
        try:
            self._calls.put_nowait((call, arguments))
        except queue.Full:
            # Pictures only; more than that are not waited for.
            return

    def wait(self):
        """For tests: returns when everything so far was done."""
        self._calls.join()

    def _run(self):
        while True:
            call, arguments = self._calls.get()
            try:
                call(*arguments)
            except (OSError, ValueError):
                # A name that no disk accepts, or a disk that is gone: only a picture is missing.
                pass
            finally:
                self._calls.task_done()
