import os
import random
import struct
import tempfile
import unittest
import zlib

import support  # noqa: F401
from ubiquity_desktop import thumbnails


def picture(uri, modified="1700000000", is_compressed=False):
    """A PNG of one pixel as thumbnailers write it."""
    uri_chunk = (b"zTXt", b"Thumb::URI\0\0" + zlib.compress(uri.encode())) if is_compressed else (
        b"tEXt", b"Thumb::URI\0" + uri.encode())

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return b"\x89PNG\r\n\x1a\n" + b"".join([
        chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)), chunk(*uri_chunk),
        chunk(b"tEXt", b"Thumb::MTime\0" + modified.encode()), chunk(b"IDAT", zlib.compress(b"\0\0")), chunk(b"IEND", b"")])


class ThumbnailTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.mount = f"{folder.name}/thumbnails", f"{folder.name}/mount"
        self.thumbnails = thumbnails.Thumbnails(self.folder)

    def write(self, kind, path, data=None):
        file = f"{self.folder}/{kind}/{thumbnails.name(path)}"
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "wb") as target:
            target.write(picture(thumbnails.uri(path)) if data is None else data)
        return file

    def happened(self, kind, path, old=None, /, **item):
        event = {"kind": kind, "path": path, "item": {"path": path, "kind": "file", **item}}
        self.thumbnails.happened(self.mount, {**event, "from": old} if old else event)

    def test_names_are_those_of_the_specification(self):
        self.assertEqual(thumbnails.name("/home/jens/photos/me.png"), "c6ee772d9e49320e97ec29a7eb5b1697.png")
        self.assertEqual(thumbnails.uri("/m/ü é;[1].jpg"), "file:///m/%C3%BC%20%C3%A9%3B%5B1%5D.jpg")

    def test_the_marks_of_all_thumbnailers_go_when_the_bytes_arrive(self):
        path = f"{self.mount}/C/a.jpg"
        marks = [self.write(f"fail/{program}", path) for program in ("gnome-thumbnail-factory", "tumbler")]
        other = self.write("fail/tumbler", f"{self.mount}/C/b.jpg")
        kept = self.write("normal", path)
        self.happened("status", "C/a.jpg", downloadingStatus="notDownloaded")
        self.assertTrue(all(os.path.exists(mark) for mark in marks))
        self.happened("status", "C/a.jpg", downloadingStatus="current")
        self.assertFalse(any(os.path.exists(mark) for mark in marks))
        self.assertTrue(os.path.exists(other) and os.path.exists(kept))

    def test_a_document_that_moved_takes_its_pictures_along(self):
        old, new = f"{self.mount}/C/a.jpg", f"{self.mount}/C/d/ü.jpg"
        before = [self.write(size, old) for size in thumbnails.SIZES]
        self.happened("moved", "C/d/ü.jpg", "C/a.jpg")
        for size, file in zip(thumbnails.SIZES, before):
            self.assertFalse(os.path.exists(file))
            with open(f"{self.folder}/{size}/{thumbnails.name(new)}", "rb") as target:
                self.assertEqual(target.read(), picture(thumbnails.uri(new)))

    def test_compressed_texts_of_qt_are_replaced_too(self):
        self.assertEqual(thumbnails.with_uri(picture("file:///a", is_compressed=True), "file:///b"), picture("file:///b"))

    def test_documents_in_a_folder_that_moved_take_their_pictures_along(self):
        os.makedirs(f"{self.mount}/C/new/inner")
        for name in ("new/a.jpg", "new/inner/b.jpg"):
            open(f"{self.mount}/C/{name}", "w").close()
        self.write("large", f"{self.mount}/C/old/inner/b.jpg")
        self.happened("moved", "C/new", "C/old", kind="folder")
        self.assertTrue(os.path.exists(f"{self.folder}/large/{thumbnails.name(self.mount + '/C/new/inner/b.jpg')}"))

    def test_a_file_that_is_no_thumbnail_stays(self):
        old = f"{self.mount}/C/a.jpg"
        for data in (b"", b"no picture", picture("x")[:-20], b"\x89PNG\r\n\x1a\n"):
            file = self.write("normal", old, data)
            self.happened("moved", "C/b.jpg", "C/a.jpg")
            self.assertTrue(os.path.exists(file))

    def test_any_bytes_are_a_thumbnail_or_none(self):
        seed = random.randrange(1 << 32)
        generator, whole = random.Random(seed), picture("file:///a")
        for _ in range(3_000):
            data = bytearray(whole[:generator.randrange(len(whole) + 1)])
            for _ in range(generator.randrange(4)):
                if data:
                    data[generator.randrange(len(data))] = generator.randrange(256)
            result = thumbnails.with_uri(bytes(data), "file:///b")
            self.assertTrue(result is None or b"file:///b" in result, f"seed {seed}")

    def test_events_that_make_no_sense_change_nothing(self):
        for event in (
                {}, {"kind": "moved", "path": "a"}, {"kind": "status", "path": 7}, {"kind": "status", "path": "a", "item": 7},
                {"kind": "moved", "path": {"base64": "!"}, "from": "b"}):
            self.thumbnails.happened(self.mount, event)

    def test_a_worker_goes_on_after_a_name_that_no_disk_accepts(self):
        worker, done = thumbnails.Worker(), []
        worker.later(self.thumbnails.move, "/a\0", "/b")
        worker.later(os.unlink, f"{self.folder}/none")
        worker.later(done.append, True)
        worker.wait()
        self.assertEqual(done, [True])
