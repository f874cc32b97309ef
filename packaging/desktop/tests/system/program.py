"""The program `ubiquity-desktop` on a bus of its own, with a tray, a notification server and daemons that are none."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import dbus  # noqa: E402
import dbusmock  # noqa: E402
import support  # noqa: E402
from support import DESKTOP, Daemon, status  # noqa: E402

ID = "org.ubiquity_documents.Desktop"
ITEM, MENU = "org.kde.StatusNotifierItem", "com.canonical.dbusmenu"
ACCOUNT = "org.freedesktop.CloudProviders.Account"
PROPERTIES = "org.freedesktop.DBus.Properties"


class ProgramTestCase(dbusmock.DBusTestCase):
    @classmethod
    def setUpClass(cls):
        cls.start_session_bus()
        cls.bus = cls.get_dbus(False)

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.mount = f"{self.folder}/Mobile"
        os.makedirs(f"{self.folder}/run/ubiquity")
        os.makedirs(f"{self.folder}/bin")
        self.environment = {
            **os.environ, "XDG_RUNTIME_DIR": f"{self.folder}/run", "XDG_STATE_HOME": f"{self.folder}/state", "HOME": self.folder,
            "XDG_CACHE_HOME": f"{self.folder}/cache", "XDG_CONFIG_HOME": f"{self.folder}/config", "UBIQUITY_SCOPE": self.folder,
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1",
        }
        self.processes = []
        self.addCleanup(self.end_all)

    def end_all(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()
            for pipe in (process.stdout, process.stderr):
                if pipe:
                    pipe.close()

    def mounted(self, **fields):
        """A mount with its daemon, as a record and a socket only."""
        daemon = Daemon(f"{self.folder}/control.sock", {})
        self.addCleanup(daemon.close)
        daemon.status = status(**fields)
        record = {"format": 1, "mount": self.mount, "pid": os.getpid(), "state": self.folder, "socket": daemon.path}
        with open(f"{self.folder}/run/ubiquity/m.json", "w", encoding="utf-8") as file:
            json.dump(record, file)
        return daemon

    def program(self, *options):
        process = subprocess.Popen(
            ["/usr/bin/python3", f"{DESKTOP}/ubiquity-desktop", *options], env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.processes.append(process)
        return process

    def start(self):
        process = self.program()
        self.until(lambda: self.bus.name_has_owner(ID))
        self.until(lambda: self.get("Title") == "Ubiquity")
        return process

    def mock(self, *arguments, **options):
        process, *rest = self.spawn_server_template(*arguments, stdout=subprocess.PIPE, **options)
        self.processes.append(process)
        return process, rest[0]

    def watcher(self):
        """A tray: the other side of the status item."""
        name, path = "org.kde.StatusNotifierWatcher", "/StatusNotifierWatcher"
        process = self.spawn_server(name, path, name, stdout=subprocess.DEVNULL)
        self.processes.append(process)
        tray = dbus.Interface(self.bus.get_object(name, path), dbusmock.MOCK_IFACE)
        tray.AddMethod(name, "RegisterStatusNotifierItem", "s", "", "")
        return process, tray

    def notifications(self):
        process, server = self.mock("notification_daemon", {"capabilities": "body actions"})
        return process, dbus.Interface(server, dbusmock.MOCK_IFACE), server

    def shown(self, server):
        """The titles, texts and buttons of notifications that were sent."""
        calls = [call for call in server.GetCalls() if call[1] == "Notify"]
        return [(str(call[2][3]), str(call[2][4]), [str(each) for each in call[2][5]]) for call in calls]

    def invoke(self, server, number, button):
        """Presses a button of a notification."""
        server.EmitSignal("org.freedesktop.Notifications", "ActionInvoked", "us", [dbus.UInt32(number), button])

    def until(self, holds):
        deadline = time.monotonic() + support.LIMIT
        while True:
            try:
                result = holds()
                if result:
                    return result
            except dbus.DBusException:
                pass
            if time.monotonic() > deadline:
                raise AssertionError("what was waited for did not happen")
            time.sleep(0.05)

    def get(self, name, interface=ITEM, path="/StatusNotifierItem"):
        return dbus.Interface(self.bus.get_object(ID, path), PROPERTIES).Get(interface, name)

    def lines(self):
        """The lines of the menu with their numbers, at all levels."""
        menu = dbus.Interface(self.bus.get_object(ID, "/MenuBar"), MENU)
        found = []

        def walk(node):
            number, values, children = node
            found.append((str(values.get("label", "")), int(number)))
            for child in children:
                walk(child)

        walk(menu.GetLayout(0, -1, dbus.Array([], "s"))[1])
        return dict(found)

    def choose(self, label):
        number = self.until(lambda: self.lines().get(label))
        dbus.Interface(self.bus.get_object(ID, "/MenuBar"), MENU).Event(number, "clicked", dbus.Int32(0), dbus.UInt32(0))

    def accounts(self):
        manager = self.bus.get_object(ID, "/org/ubiquity_documents/CloudProviders")
        objects = dbus.Interface(manager, "org.freedesktop.DBus.ObjectManager").GetManagedObjects()
        return [(path, values[ACCOUNT]) for path, values in objects.items() if ACCOUNT in values]
