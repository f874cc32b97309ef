"""Ubiquity in Nautilus, Nemo and Caja: emblems, a column and a menu. Each of them has a copy of this file.

It holds no logic: `ubiquity_desktop` knows the states and never waits, `ubiquity` carries out the commands.
"""

import os
import sys
from collections import OrderedDict

# Replaced by the installation; in the source tree the package is beside this file.
_LIBRARY = "@LIBRARY@"
sys.path.append(_LIBRARY if os.path.isdir(_LIBRARY) else os.path.dirname(os.path.abspath(__file__)))

from gi.repository import GObject  # noqa: E402

# Each file manager has a folder of its own for extensions.
if "/nemo-python/" in os.path.abspath(__file__):
    from gi.repository import Nemo as Files  # noqa: E402
elif "/caja-python/" in os.path.abspath(__file__):
    from gi.repository import Caja as Files  # noqa: E402
else:
    from gi.repository import Nautilus as Files  # noqa: E402

from ubiquity_desktop import actions, menu, texts  # noqa: E402
from ubiquity_desktop.clipboard import copy  # noqa: E402
from ubiquity_desktop.emblems import LIMIT, Emblems  # noqa: E402
from ubiquity_desktop.loop import Loop  # noqa: E402

_ATTRIBUTE = "ubiquity_state"


class UbiquityExtension(GObject.GObject, Files.InfoProvider, Files.ColumnProvider, Files.MenuProvider):
    _is_loaded = False

    def __init__(self):
        super().__init__()
        # Nautilus reads the folder of the user's own extensions twice where XDG_DATA_DIRS names it, too. One of the two is enough.
        self._is_repeated = UbiquityExtension._is_loaded
        UbiquityExtension._is_loaded = True
        # The files that the view has shown last, by path. They are held weakly, because the view owns them.
        self._shown = OrderedDict()
        self._emblems = Emblems(self._changed, Loop())

    # Called for every file that is shown.
    def update_file_info(self, file, *_):
        path = _path(file)
        if path is None or self._is_repeated:
            return
        self._shown[path] = file.weak_ref()
        self._shown.move_to_end(path)
        if len(self._shown) > LIMIT:
            self._shown.popitem(last=False)
        state = self._emblems.state(path)
        emblem = texts.emblem(state)
        if emblem is not None:
            file.add_emblem(emblem)
        file.add_string_attribute(_ATTRIBUTE, texts.text(state))

    def _changed(self, paths):
        for path in paths:
            reference = self._shown.get(path)
            file = reference() if reference is not None else None
            if file is not None:
                file.invalidate_extension_info()
            else:
                self._shown.pop(path, None)

    def get_columns(self, *_):
        return [] if self._is_repeated else [
            Files.Column(
                name="Ubiquity::state", attribute=_ATTRIBUTE, label="Cloud",
                description="Whether the document is in the cloud and on this device")
        ]

    # Nautilus 43 passes the files only, the others a window before them.
    def get_file_items(self, *arguments):
        return self._items(arguments[-1])

    def get_background_items(self, *arguments):
        return self._items([arguments[-1]])

    def _items(self, files):
        paths = [_path(file) for file in files]
        if self._is_repeated or not paths or None in paths:
            return []
        found = menu.commands([self._emblems.state(path) for path in paths])
        if not found:
            return []
        inside = Files.Menu()
        for command in found:
            item = Files.MenuItem(
                name=f"Ubiquity::{command.name}", label=command.label, tip=command.tip, icon="")
            item.connect("activate", self._perform, command, paths)
            inside.append_item(item)
        top = Files.MenuItem(
            name="Ubiquity::menu", label="Ubiquity", tip="Documents in the cloud", icon="emblem-ubiquity-cloud")
        top.set_submenu(inside)
        return [top]

    def _perform(self, _, command, paths):
        def done(output):
            self._emblems.refresh(paths)
            if output is not None and command.copies_link:
                copy(output.strip())

        actions.perform(command, paths, done)


def _path(file):
    """The path of a file on this machine; nothing for others."""
    location = file.get_location()
    return location.get_path() if location is not None and file.get_uri_scheme() == "file" else None
