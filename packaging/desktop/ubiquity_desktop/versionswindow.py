"""The window with the versions of a document. GTK 3 has to be chosen before this is imported."""

import os
import subprocess
import threading

from gi.repository import Gio, GLib, Gtk

from . import comparison, frames, mounts, request, versions
from .actions import program


class Window(Gtk.Window):
    def __init__(self, path):
        super().__init__(title=f"Versions of {os.path.basename(path)}", default_width=880, default_height=700)
        self._path, self._versions, self._shown = path, [], None
        self._message = Gtk.Label(label="Reading the versions…", xalign=0, wrap=True, selectable=True)
        self._store = Gtk.ListStore(str, str, str, str)
        self._list = Gtk.TreeView(model=self._store)
        for index, title in enumerate(("Modified", "Device", "Size", "")):
            self._list.append_column(Gtk.TreeViewColumn(title, Gtk.CellRendererText(), text=index))
        self._list.get_selection().connect("changed", lambda _: self._select())
        self._headings = [Gtk.Label(xalign=0, hexpand=True, ellipsize=3) for _ in range(2)]
        self._sides = [Gtk.Box(spacing=6) for _ in range(2)]
        self._place = Gtk.Box(vexpand=True)
        self._buttons = Gtk.ButtonBox(spacing=6, layout_style=Gtk.ButtonBoxStyle.END)
        self._lay_out()
        self.connect("destroy", Gtk.main_quit)
        self._read("")

    def _lay_out(self):
        columns = Gtk.Box(spacing=6, homogeneous=True)
        for heading, side in zip(self._headings, self._sides):
            box = Gtk.Box(spacing=6)
            box.pack_start(heading, True, True, 0)
            box.pack_end(side, False, False, 0)
            columns.pack_start(box, True, True, 0)
        below = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)
        below.pack_start(columns, False, False, 0)
        below.pack_start(self._place, True, True, 0)
        panes = Gtk.Paned(orientation=Gtk.Orientation.VERTICAL, position=170)
        panes.pack1(Gtk.ScrolledWindow(child=self._list), False, False)
        panes.pack2(below, True, False)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6, margin=12)
        box.pack_start(panes, True, True, 0)
        box.pack_start(self._message, False, False, 0)
        box.pack_start(self._buttons, False, False, 0)
        self.add(box)

    # Work on threads: `ubiquity`, files of the mount and requests may wait for the network.

    def _beside(self, work, done):
        """Runs `work` on a thread, then `done` with its result."""
        def run():
            result = work()
            GLib.idle_add(lambda: done(result) and False)

        threading.Thread(target=run, daemon=True).start()

    def _run(self, words):
        """Runs `ubiquity`; returns its success, output and message."""
        try:
            ended = subprocess.run(
                [program("ubiquity"), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            return ended.returncode == 0, ended.stdout, ended.stderr.strip()
        except OSError as error:
            return False, "", f"ubiquity: {error.strerror}"

    # The list.

    def _read(self, message):
        def done(result):
            succeeded, output, problem = result
            found = []
            if succeeded:
                try:
                    found = versions.parse(output)
                except (ValueError, KeyError, TypeError):
                    problem = "The list of versions cannot be read."
            self._store.clear()
            self._versions = found
            for version in found:
                self._store.append(version.cells)
            self._message.set_text(problem or message)
            # The one that the current version is compared with.
            index = min(1, len(found) - 1)
            if index >= 0:
                self._list.get_selection().select_path(Gtk.TreePath([index]))

        self._beside(lambda: self._run(["versions", "--json", "--", self._path]), done)

    def _select(self):
        _, rows = self._list.get_selection().get_selected_rows()
        index = rows[0].get_indices()[0] if rows else len(self._versions)
        version = self._versions[index] if index < len(self._versions) else None
        compared = versions.pair(self._versions, version)
        for box in (self._buttons, self._place, *self._sides):
            for child in box.get_children():
                child.destroy()
        if version is not None and version.is_here:
            self._add_button(self._buttons, "Open", lambda: self._open(version.file))
        self._shown = compared
        if compared is None:
            for heading in self._headings:
                heading.set_text("")
            self._add_commands(self._buttons, versions.commands(version, self._path, False))
        else:
            self._compare(compared)
        self._buttons.show_all()

    def _compare(self, compared):
        *sides, both = versions.choices(*compared, self._path)
        for version, heading, box, buttons in zip(compared, self._headings, self._sides, sides):
            modified, device, _, kind = version.cells
            heading.set_markup(f"<b>{GLib.markup_escape_text(kind)}</b>, {GLib.markup_escape_text(f'{device}, {modified}')}")
            self._add_commands(box, buttons)
        self._add_commands(self._buttons, both)
        missing = [version for version in compared if not version.is_here]
        if missing:
            self._show("Not all of the bytes are on this device.")
            return self._add_button(self._buttons, "Download to Compare", lambda: self._download(missing))
        self._show("Reading…")

        def done(result):
            if self._shown is compared:
                self._show(result if isinstance(result, str) else result())

        self._beside(lambda: comparison.read([version.file for version in compared]), done)

    def _show(self, widget):
        for child in self._place.get_children():
            child.destroy()
        if isinstance(widget, str):
            widget = Gtk.Label(label=widget, wrap=True)
        self._place.pack_start(widget, True, True, 0)
        self._place.show_all()

    # What a person chooses.

    def _add_commands(self, box, commands):
        for label, words in commands:
            self._add_button(box, label, lambda words=words, label=label: self._perform(label, lambda: self._run(words)))
        box.show_all()

    def _add_button(self, box, label, action):
        button = Gtk.Button(label=label)
        button.connect("clicked", lambda _: action())
        box.add(button)

    def _open(self, file):
        try:
            Gio.AppInfo.launch_default_for_uri(Gio.File.new_for_path(file).get_uri(), None)
        except GLib.Error as error:
            self._message.set_text(error.message)

    def _download(self, missing):
        def fetch():
            for version in missing:
                succeeded, problem = self._fetch(version)
                if not succeeded:
                    return False, "", problem
            return True, "", ""

        self._perform("Download", fetch)

    def _fetch(self, version):
        if version.kind != "history":
            succeeded, _, problem = self._run(["download", "--wait", "--", version.file])
            return succeeded, problem
        known = mounts.read()
        place = mounts.containing(self._path, known)
        if place is None:
            return False, "Its mount is gone."
        body = {"path": frames.encode_path(place[1]), "version": version.name}
        try:
            request.request(known[place[0]], "fetchVersion", body)
        except request.Refused as refusal:
            return False, str(refusal)
        return True, ""

    def _perform(self, label, work):
        for box in (self._buttons, *self._sides):
            box.set_sensitive(False)
        self._message.set_text("…")

        def done(result):
            succeeded, _, problem = result
            for box in (self._buttons, *self._sides):
                box.set_sensitive(True)
            self._read(f"{label}: done." if succeeded else problem)

        self._beside(work, done)
