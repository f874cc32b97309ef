"""The window of versions on a display without a screen, with a `ubiquity` that is none."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import support  # noqa: E402


class WindowTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        reader, writer = os.pipe()
        cls.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1100x800x24", "-nolisten", "tcp"], pass_fds=[writer],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            os.environ["DISPLAY"] = f":{pipe.readline().strip()}"
        os.environ.update({"GDK_BACKEND": "x11", "NO_AT_BRIDGE": "1"})
        import gi

        gi.require_version("Gtk", "3.0")
        from gi.repository import GLib, Gtk

        from ubiquity_desktop import versionswindow
        cls.GLib, cls.Gtk, cls.versionswindow = GLib, Gtk, versionswindow
        Gtk.init([])

    @classmethod
    def tearDownClass(cls):
        cls.server.terminate()
        cls.server.wait()

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        os.makedirs(f"{self.folder}/bin")
        self.record = f"{self.folder}/record"
        with open(f"{self.folder}/bin/ubiquity", "w", encoding="utf-8") as file:
            file.write(
                f'#!/bin/sh\nif [ "$1" = versions ]; then cat "{self.folder}/versions.json"; else echo "$*" >> "{self.record}"; fi\n')
        os.chmod(f"{self.folder}/bin/ubiquity", 0o700)
        before = os.environ["PATH"]
        os.environ["PATH"] = f"{self.folder}/bin:{before}"
        self.addCleanup(os.environ.__setitem__, "PATH", before)
        self.windows = []
        self.addCleanup(lambda: [window.destroy() for window in self.windows])

    def open(self, *versions, is_here=True):
        listed = []
        for number, (kind, data) in enumerate(versions):
            with open(f"{self.folder}/{number}", "wb") as file:
                file.write(data)
            listed.append({
                "version": f"{number}.0", "kind": kind, "device": f"device {number}", "modified": "2026-11-20T14:03:12.500Z",
                "size": len(data), "isHere": is_here or number == 0, "file": f"{self.folder}/{number}"})
        with open(f"{self.folder}/versions.json", "w", encoding="utf-8") as file:
            json.dump({"format": 1, "path": "a", "isDeleted": False, "versions": listed}, file)
        window = self.versionswindow.Window("/m/a")
        # The loop of a test ends with the test.
        window.disconnect_by_func(self.Gtk.main_quit)
        window.show_all()
        self.windows.append(window)
        return window

    def until(self, holds):
        deadline = time.monotonic() + support.LIMIT
        context = self.GLib.MainContext.default()
        while not holds():
            if time.monotonic() > deadline:
                raise AssertionError("what was waited for did not happen")
            if not context.iteration(False):
                time.sleep(0.005)

    def widgets(self, root, kind):
        found = [root] if isinstance(root, kind) else []
        if isinstance(root, self.Gtk.Container):
            for child in root.get_children():
                found += self.widgets(child, kind)
        return found

    def texts(self, window):
        views = self.widgets(window, self.Gtk.TextView)
        return [view.get_buffer().get_property("text").splitlines() for view in views]

    def labels(self, window):
        return [label.get_text() for label in self.widgets(window, self.Gtk.Label)]

    def buttons(self, window):
        return [button.get_label() for button in self.widgets(window, self.Gtk.Button) if button.get_label()]

    def click(self, window, label, index=0):
        [each for each in self.widgets(window, self.Gtk.Button) if each.get_label() == label][index].clicked()

    def test_texts_in_conflict_are_side_by_side_and_the_other_one_can_be_kept(self):
        window = self.open(("current", b"a\nb\n"), ("conflict", b"a\nB\n"))
        self.until(lambda: self.texts(window) == [["  a", "~ b"], ["  a", "~ B"]])
        self.assertIn("1 place differs.", self.labels(window))
        self.assertEqual(sorted(self.buttons(window)), ["Keep Both", "Keep This", "Keep This", "Open"])
        self.click(window, "Keep This", 1)
        self.until(lambda: os.path.exists(self.record))
        self.until(lambda: "Keep This: done." in self.labels(window))
        with open(self.record, encoding="utf-8") as file:
            self.assertEqual(file.read(), "resolve --keep 1.0 -- /m/a\n")

    def test_this_one_and_both_can_be_kept(self):
        window = self.open(("current", b"a"), ("conflict", b"b"))
        for label, words in (("Keep This", "current"), ("Keep Both", "both")):
            self.until(lambda: label in self.buttons(window) and len(self.texts(window)) == 2)
            self.click(window, label)
            self.until(lambda: f"{label}: done." in self.labels(window))
            with open(self.record, encoding="utf-8") as file:
                self.assertEqual(file.read().splitlines()[-1], f"resolve --keep {words} -- /m/a")

    def test_pictures_are_side_by_side_with_their_sizes(self):
        from gi.repository import GdkPixbuf
        data = []
        for size in ((40, 30), (10, 20)):
            pixbuf = GdkPixbuf.Pixbuf.new(GdkPixbuf.Colorspace.RGB, False, 8, *size)
            pixbuf.fill(0x3584e4ff)
            data.append(pixbuf.save_to_bufferv("png", [], [])[1])
        window = self.open(("current", data[0]), ("conflict", data[1]))
        self.until(lambda: {"40 × 30 pixels", "10 × 20 pixels"} <= set(self.labels(window)))
        images = self.widgets(window, self.Gtk.Image)
        self.until(lambda: all(image.get_pixbuf() is not None for image in images))
        self.assertEqual([image.get_pixbuf().get_width() for image in images], [40, 10])

    def test_what_is_neither_text_nor_picture_and_what_is_damaged_is_said_to_be_so(self):
        for data in (b"\0\1\2", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"):
            window = self.open(("current", data), ("history", b"text"))
            self.until(lambda: any(text.startswith("Only texts of up to 1 MiB and pictures") for text in self.labels(window)))
            self.assertIn("Restore", self.buttons(window))

    def test_bytes_that_are_not_here_are_fetched_only_when_a_person_wants_that(self):
        window = self.open(("current", b"a"), ("conflict", b"b"), is_here=False)
        self.until(lambda: "Download to Compare" in self.buttons(window))
        self.assertFalse(os.path.exists(self.record))
        self.click(window, "Download to Compare")
        self.until(lambda: "Download: done." in self.labels(window))
        with open(self.record, encoding="utf-8") as file:
            self.assertEqual(file.read(), f"download --wait -- {self.folder}/1\n")

    def test_a_document_with_one_version_and_a_deleted_one_are_listed(self):
        window = self.open(("current", b"a"))
        self.until(lambda: self.buttons(window) == ["Open"])
        window = self.open(("history", b"a"), ("history", b"b"))
        self.until(lambda: sorted(self.buttons(window)) == ["Open", "Restore"])
