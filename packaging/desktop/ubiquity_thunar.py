"""Ubiquity in Thunar: a menu, and a page of the properties. Thunar's extensions can add neither emblems nor columns.

It holds no logic: `ubiquity_desktop` knows the states and never waits, `ubiquity` carries out the commands.
"""

import os
import sys

# Replaced by the installation; in the source tree the package is beside this file.
_LIBRARY = "@LIBRARY@"
sys.path.append(_LIBRARY if os.path.isdir(_LIBRARY) else os.path.dirname(os.path.abspath(__file__)))

from gi.repository import GObject, Gtk, Thunarx  # noqa: E402

from ubiquity_desktop import actions, menu, texts  # noqa: E402
from ubiquity_desktop.clipboard import copy  # noqa: E402
from ubiquity_desktop.emblems import Emblems  # noqa: E402
from ubiquity_desktop.loop import Loop  # noqa: E402


class UbiquityExtension(GObject.GObject, Thunarx.MenuProvider, Thunarx.PropertyPageProvider):
    def __init__(self):
        super().__init__()
        self._labels = {}
        self._emblems = Emblems(self._changed, Loop())
        # The mounts are known before the first menu opens.
        self._emblems.is_inside("/")

    def get_file_menu_items(self, _, files):
        return self._items(files)

    def get_folder_menu_items(self, _, folder):
        return self._items([folder])

    def _items(self, files):
        paths = [_path(file) for file in files]
        if not paths or None in paths:
            return []
        # Thunar does not report which files it shows, so the state may not be known before a menu opens: then for all states.
        states = [self._emblems.state(path) for path in paths]
        found = menu.commands(states) if None not in states else self._commands_of_mounts(paths)
        if not found:
            return []
        inside = Thunarx.Menu()
        for command in found:
            item = Thunarx.MenuItem(
                name=f"Ubiquity::{command.name}", label=command.label, tooltip=command.tip, icon="")
            item.connect("activate", self._perform, command, paths)
            inside.append_item(item)
        top = Thunarx.MenuItem(
            name="Ubiquity::menu", label="Ubiquity", tooltip="Documents in the cloud", icon="emblem-ubiquity-cloud")
        top.set_menu(inside)
        return [top]

    def _commands_of_mounts(self, paths):
        is_inside = all(self._emblems.is_inside(path) for path in paths)
        return menu.general(len(paths)) if is_inside else []

    def _perform(self, _, command, paths):
        def done(output):
            self._emblems.refresh(paths)
            if output is not None and command.copies_link:
                copy(output.strip())

        actions.perform(command, paths, done)

    def get_property_pages(self, files):
        path = _path(files[0]) if len(files) == 1 else None
        if path is None or not self._emblems.is_inside(path):
            return []
        label = Gtk.Label(label=texts.text(self._emblems.state(path)), selectable=True, margin=12, xalign=0, yalign=0)
        label.show()
        self._labels[path] = label
        label.connect("destroy", lambda gone: self._forget(path, gone))
        page = Thunarx.PropertyPage(label="Ubiquity")
        page.add(label)
        return [page]

    def _forget(self, path, label):
        if self._labels.get(path) is label:
            del self._labels[path]

    def _changed(self, paths):
        for path in paths:
            label = self._labels.get(path)
            if label is not None:
                label.set_text(texts.text(self._emblems.state(path)))


def _path(file):
    """The path of a file on this machine; nothing for others."""
    return file.get_location().get_path() if file.get_uri_scheme() == "file" else None
