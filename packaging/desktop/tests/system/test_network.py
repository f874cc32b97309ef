"""What `ubiquity-desktop` reports to daemons about the network, on a bus of the system with a NetworkManager that is none.

Run by: dbus-run-session -- /usr/bin/python3 -m unittest discover -s packaging/desktop/tests/system
"""

import os
import subprocess

import dbus
import dbusmock
from program import ProgramTestCase, support
from support import status

NAME, PATH = "org.freedesktop.NetworkManager", "/org/freedesktop/NetworkManager"


class NetworkTests(ProgramTestCase):
    @classmethod
    def setUpClass(cls):
        before = os.environ.get("DBUS_SYSTEM_BUS_ADDRESS")
        super().setUpClass()
        cls.start_system_bus()
        cls.system = cls.get_dbus(True)
        cls.before = before

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        os.environ.pop("DBUS_SYSTEM_BUS_ADDRESS", None)
        if cls.before is not None:
            os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = cls.before

    def network(self, metered):
        process = self.spawn_server(NAME, PATH, NAME, system_bus=True, stdout=subprocess.DEVNULL)
        self.processes.append(process)
        manager = dbus.Interface(self.system.get_object(NAME, PATH), dbusmock.MOCK_IFACE)
        if metered is not None:
            manager.AddProperty(NAME, "Metered", dbus.UInt32(metered))
        return process, manager

    def report(self, daemon):
        verb, body = daemon.calls.get(timeout=support.LIMIT)
        self.assertEqual(verb, "reportMetered")
        return body["isMetered"]

    def change(self, manager, value):
        manager.UpdateProperties(NAME, {"Metered": dbus.UInt32(value)})

    def test_each_change_of_the_property_is_reported_guesses_too(self):
        _, manager = self.network(1)
        daemon = self.mounted()
        self.start()
        self.assertTrue(self.report(daemon))
        self.change(manager, 4)
        self.assertFalse(self.report(daemon))
        self.change(manager, 3)
        self.assertTrue(self.report(daemon))
        # Both mean the same as before or nothing that is known.
        self.change(manager, 1)
        self.change(manager, 0)
        self.assertFalse(self.report(daemon))
        self.change(manager, 2)
        self.change(manager, 1)
        self.assertTrue(self.report(daemon))

    def test_a_networkmanager_that_comes_later_and_ends_is_followed(self):
        daemon = self.mounted()
        self.start()
        self.until(lambda: "Go Offline" in self.lines())
        process, _ = self.network(3)
        # A program may have its name before its objects: the property is there with the first or with a later question.
        self.assertTrue(self.report(daemon))
        process.terminate()
        process.wait()
        self.assertFalse(self.report(daemon))
        self.network(1)
        self.assertTrue(self.report(daemon))

    def test_a_daemon_that_comes_later_gets_the_report_and_one_without_the_request_gets_it_once(self):
        self.network(1)
        process = self.start()
        daemon = self.mounted()
        daemon.failure = "unsupported"
        self.assertTrue(self.report(daemon))
        self.until(lambda: daemon.asked.qsize() > 1)
        self.assertTrue(daemon.calls.empty())
        self.assertIsNone(process.poll())

    def test_what_waits_is_shown_and_may_be_sent_all_the_same(self):
        self.network(1)
        daemon = self.mounted(metered="wait", queue={"pendingItems": 2})
        self.start()
        self.assertTrue(self.report(daemon))
        self.until(lambda: "2 items wait: the network is metered" in self.lines())
        self.choose("Sync on Metered Networks")
        self.assertEqual(daemon.calls.get(timeout=support.LIMIT), ("limits", {"onMetered": "continue"}))
        daemon.status = status(metered="continue")
        self.choose("Wait on Metered Networks")
        self.assertEqual(daemon.calls.get(timeout=support.LIMIT), ("limits", {"onMetered": "wait"}))

    def test_a_networkmanager_without_the_property_and_the_end_of_the_bus_of_the_system_change_nothing(self):
        self.network(None)
        daemon = self.mounted()
        process = self.start()
        self.until(lambda: "Go Offline" in self.lines())
        address = self.environment["DBUS_SYSTEM_BUS_ADDRESS"]
        process.terminate()
        self.assertEqual(process.wait(support.LIMIT), 0)
        self.environment["DBUS_SYSTEM_BUS_ADDRESS"] = f"unix:path={self.folder}/none"
        process = self.start()
        self.until(lambda: "Go Offline" in self.lines())
        self.assertTrue(daemon.calls.empty())
        process.terminate()
        self.assertEqual((process.wait(support.LIMIT), process.stderr.read()), (0, ""))
        self.environment["DBUS_SYSTEM_BUS_ADDRESS"] = address
