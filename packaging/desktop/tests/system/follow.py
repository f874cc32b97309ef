"""Runs `ubiquity-desktop` beside real daemons, and does one step after the other. Used by the end-to-end tests, in a session of its own.

    follow.py STEP…     `shows TEXT`: waits until the item of the status area has this text below its title
                        `there FILE`, `gone FILE`: waits for that
                        `thumbnail KIND PATH`: writes a picture as a thumbnailer does, in `normal` or `fail/PROGRAM`
                        `pictured PATH`: waits until the document has a picture of its present name and time
                        `failed PATH`, `forgotten PATH`: waits until it has a failure mark, or none
                        `run COMMAND`: runs a command of the shell
                        `choose LABEL`: chooses a line of the menu
"""

import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import dbus  # noqa: E402
from support import DESKTOP  # noqa: E402
from test_thumbnails import picture  # noqa: E402
from ubiquity_desktop import thumbnails  # noqa: E402

LIMIT = 60
ID = "org.ubiquity_documents.Desktop"


class Session:
    def __init__(self):
        self._bus = dbus.SessionBus()
        self._folder = f"{os.environ['XDG_CACHE_HOME']}/thumbnails"

    def _until(self, what, holds):
        deadline, found = time.monotonic() + LIMIT, None
        while time.monotonic() < deadline:
            try:
                if holds():
                    return
            except dbus.DBusException as error:
                found = error
            time.sleep(0.05)
        sys.exit(f"not within {LIMIT} s: {what}; {self._text()!r} {found or ''}")

    def _text(self):
        item = dbus.Interface(self._bus.get_object(ID, "/StatusNotifierItem"), "org.freedesktop.DBus.Properties")
        return str(item.Get("org.kde.StatusNotifierItem", "ToolTip")[3])

    def shows(self, text):
        self._until(f"shows {text}", lambda: self._text() == text)

    def there(self, file):
        self._until(f"there {file}", lambda: os.path.exists(file))

    def gone(self, file):
        self._until(f"gone {file}", lambda: not os.path.exists(file))

    def _file(self, kind, path):
        return f"{self._folder}/{kind}/{thumbnails.name(path)}"

    def thumbnail(self, words):
        kind, path = words.split(" ", 1)
        os.makedirs(os.path.dirname(self._file(kind, path)), exist_ok=True)
        with open(self._file(kind, path), "wb") as file:
            file.write(picture(thumbnails.uri(path), str(int(os.stat(path).st_mtime))))

    def pictured(self, path):
        expected = picture(thumbnails.uri(path), str(int(os.stat(path).st_mtime)))

        def holds():
            try:
                with open(self._file("normal", path), "rb") as file:
                    return file.read() == expected
            except FileNotFoundError:
                return False

        self._until(f"pictured {path}", holds)

    def failed(self, path):
        self.there(self._file("fail/thumbnailer", path))

    def forgotten(self, path):
        self.gone(self._file("fail/thumbnailer", path))

    def run(self, command):
        subprocess.run(command, shell=True, check=True)

    def choose(self, label):
        menu = dbus.Interface(self._bus.get_object(ID, "/MenuBar"), "com.canonical.dbusmenu")

        def chosen():
            for number, values, _ in menu.GetLayout(0, 1, dbus.Array([], "s"))[1][2]:
                if values.get("label") == label:
                    menu.Event(number, "clicked", dbus.Int32(0), dbus.UInt32(0))
                    return True
            return False

        self._until(f"choose {label}", chosen)


def main():
    program = subprocess.Popen(["/usr/bin/python3", "-B", f"{DESKTOP}/ubiquity-desktop"], stdin=subprocess.DEVNULL)
    try:
        session = Session()
        for step in sys.argv[1:]:
            name, rest = step.split(" ", 1)
            getattr(session, name)(rest)
    finally:
        program.terminate()
        status = program.wait(LIMIT)
    sys.exit(status)


main()
