"""What `ubiquity-desktop` shows and does on a bus.

Run by: dbus-run-session -- /usr/bin/python3 -m unittest discover -s packaging/desktop/tests/system
"""

import json
import os
import signal
import subprocess
import time

import dbus
import dbusmock
from program import ACCOUNT, DESKTOP, ID, ITEM, MENU, PROPERTIES, ProgramTestCase, support
from support import conflict, status
from ubiquity_desktop import thumbnails


class TrayTests(ProgramTestCase):
    def test_the_item_registers_with_a_tray_that_is_there_and_with_one_that_comes_later(self):
        self.mounted()
        process, tray = self.watcher()
        self.start()
        self.until(lambda: [call for call in tray.GetCalls() if call[1] == "RegisterStatusNotifierItem"])
        process.terminate()
        process.wait()
        _, tray = self.watcher()
        (call,) = self.until(lambda: [call for call in tray.GetCalls() if call[1] == "RegisterStatusNotifierItem"])
        item = self.bus.get_object(str(call[2][0]), "/StatusNotifierItem")
        self.assertEqual(dbus.Interface(item, PROPERTIES).Get(ITEM, "Id"), "ubiquity")

    def test_the_item_shows_the_progress_of_transfers_and_a_menu(self):
        daemon = self.mounted(
            queue={"uploads": 1, "pendingItems": 1, "pendingBytes": 3_000_000},
            transfers=[{"path": "C/film.mp4", "direction": "upload", "completedBytes": 1, "totalBytes": 4}])
        self.start()
        self.until(lambda: self.get("IconName") == "ubiquity-tray-syncing-symbolic")
        self.assertEqual(self.get("ToolTip")[3], "Uploading 1 item (3.0 MB): 25 %")
        self.assertIn("↑ film.mp4 25 %", self.lines())
        daemon.status = status()
        self.until(lambda: self.get("ToolTip")[3] == "Everything is in the cloud")
        self.assertEqual(self.get("Status"), "Active")
        values = dbus.Interface(self.bus.get_object(ID, "/StatusNotifierItem"), PROPERTIES).GetAll(ITEM)
        self.assertEqual(values["Menu"], "/MenuBar")

    def test_going_offline_and_online_is_sent_to_the_daemon(self):
        daemon = self.mounted()
        self.start()
        self.choose("Go Offline")
        self.assertEqual(daemon.calls.get(timeout=support.LIMIT), ("setOnline", {"isOnline": False}))
        daemon.status = status(cloud={"state": "offline", "reason": "takenOffline", "message": "This device was taken offline."})
        self.choose("Go Online")
        self.assertEqual(daemon.calls.get(timeout=support.LIMIT), ("setOnline", {"isOnline": True}))

    def test_a_pause_that_is_over_ends_although_the_program_was_started_again(self):
        daemon = self.mounted()
        process = self.start()
        self.choose("Pause for an Hour")
        self.assertEqual(daemon.calls.get(timeout=support.LIMIT), ("setOnline", {"isOnline": False}))
        memory = f"{self.folder}/state/ubiquity-desktop/memory.json"
        self.until(lambda: os.path.exists(memory) and self.read(memory)["pauses"])
        daemon.status = status(cloud={"state": "offline", "reason": "takenOffline"})
        process.terminate()
        self.assertEqual(process.wait(support.LIMIT), 0)
        fields = self.read(memory)
        fields["pauses"] = [[self.mount, time.time() - 1]]
        with open(memory, "w", encoding="utf-8") as file:
            json.dump(fields, file)
        self.start()
        self.assertEqual(daemon.calls.get(timeout=support.LIMIT), ("setOnline", {"isOnline": True}))

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def test_lines_that_are_gone_and_nonsense_are_refused_and_harm_nothing(self):
        self.mounted()
        self.start()
        self.until(lambda: "Go Offline" in self.lines())
        menu = dbus.Interface(self.bus.get_object(ID, "/MenuBar"), MENU)
        for call in (
                lambda: menu.Event(99_999, "clicked", dbus.Int32(0), dbus.UInt32(0)),
                lambda: menu.GetLayout(99_999, -1, dbus.Array([], "s")), lambda: menu.GetProperty(0, "none")):
            with self.assertRaises(dbus.DBusException):
                call()
        self.assertEqual(menu.EventGroup([(99_999, "clicked", dbus.Int32(0), dbus.UInt32(0))]), [99_999])
        self.assertEqual(menu.AboutToShow(0), False)
        self.assertEqual(menu.GetProperty(self.lines()["Go Offline"], "label"), "Go Offline")
        self.assertEqual(len(menu.GetGroupProperties([0], dbus.Array([], "s"))), 1)

    def test_a_daemon_that_ends_and_comes_back_is_followed(self):
        daemon = self.mounted()
        self.start()
        self.until(lambda: "Go Offline" in self.lines())
        daemon.close()
        self.until(lambda: "The daemon does not respond" in self.lines())
        self.mounted()
        self.until(lambda: "Everything is in the cloud" in self.lines())
        os.unlink(f"{self.folder}/run/ubiquity/m.json")
        self.until(lambda: self.get("Status") == "Passive")


class NotificationTests(ProgramTestCase):
    def test_a_conflict_is_shown_once_and_its_button_opens_the_versions(self):
        _, server, signals = self.notifications()
        record = f"{self.folder}/opened"
        with open(f"{self.folder}/bin/ubiquity-versions", "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{record}.new"; mv "{record}.new" "{record}"\n')
        os.chmod(f"{self.folder}/bin/ubiquity-versions", 0o700)
        daemon = self.mounted(conflicts=1)
        daemon.conflicts = [conflict("C/a b.txt", "8.0")]
        process = self.start()
        ((title, _, buttons),) = self.until(lambda: self.shown(server))
        self.assertEqual((title, buttons), ("a b.txt is in conflict", ["default", "", "0", "Show Versions"]))
        self.invoke(server, 1, "0")
        self.until(lambda: os.path.exists(record))
        with open(record, encoding="utf-8") as file:
            self.assertEqual(file.read().splitlines(), ["--", f"{self.mount}/C/a b.txt"])
        process.terminate()
        self.assertEqual(process.wait(support.LIMIT), 0)
        server.ClearCalls()
        self.start()
        self.until(lambda: "1 Document in Conflict" in self.lines())
        self.assertEqual(self.shown(server), [])

    def test_a_program_that_looks_into_documents_may_be_allowed(self):
        _, server, _ = self.notifications()
        daemon = self.mounted(refusedPrograms=[{"program": "indexer", "seconds": 600}])
        self.start()
        ((title, _, buttons),) = self.until(lambda: self.shown(server))
        self.assertEqual(title, "indexer is reading 64 documents that are not on this device")
        self.assertEqual(buttons, ["0", "Allow", "1", "Stop"])
        self.invoke(server, 1, "0")
        self.assertEqual(daemon.calls.get(timeout=support.LIMIT), ("allowDownloads", {"program": "indexer"}))
        daemon.status = status()
        self.until(lambda: [call for call in server.GetCalls() if call[1] == "CloseNotification"])

    def test_a_failed_button_says_so(self):
        _, server, _ = self.notifications()
        daemon = self.mounted()
        self.start()
        daemon.failure = "busy"
        self.choose("Go Offline")
        ((title, text, _),) = self.until(lambda: self.shown(server))
        self.assertEqual((title, text), ("The device cannot go offline", f"{self.mount}: it is"))

    def test_without_a_server_a_notification_waits_for_one(self):
        self.mounted(cloud={"state": "offline", "reason": "full", "message": "The cloud is full."})
        self.start()
        self.until(lambda: self.get("Status") == "NeedsAttention")
        process, server, _ = self.notifications()
        self.until(lambda: [title for title, _, _ in self.shown(server)] == ["The cloud is full"])
        process.terminate()
        process.wait()
        self.assertEqual(self.get("Status"), "NeedsAttention")

    def test_text_of_others_is_not_read_as_markup(self):
        _, server = self.mock("notification_daemon", {"capabilities": "body body-markup"})
        self.mounted(cloud={"state": "offline", "reason": "full", "message": "<b>full</b> & more"})
        self.start()
        server = dbus.Interface(server, dbusmock.MOCK_IFACE)
        ((_, text, buttons),) = self.until(lambda: self.shown(server))
        self.assertEqual((text, buttons), ("Mobile: &lt;b&gt;full&lt;/b&gt; &amp; more", []))


class SideBarTests(ProgramTestCase):
    def test_a_mount_is_an_account_with_a_state_and_a_menu(self):
        daemon = self.mounted()
        self.start()
        self.until(lambda: self.accounts() and self.accounts()[0][1]["Status"] == 1)
        ((path, values),) = self.accounts()
        self.assertEqual((values["Name"], values["Path"]), ("Mobile", self.mount))
        self.assertEqual(values["StatusDetails"], "Everything is in the cloud")
        menus = dbus.Interface(self.bus.get_object(ID, path), "org.gtk.Menus").Start([0])
        actions = {str(item["label"]): str(item["action"]) for item in menus[0][2]}
        self.assertEqual(actions, {"Pause for an Hour": "cloudprovider.action0", "Go Offline": "cloudprovider.action1"})
        group = dbus.Interface(self.bus.get_object(ID, path), "org.gtk.Actions")
        group.Activate("action1", dbus.Array([], "v"), dbus.Dictionary({}, "sv"))
        self.assertEqual(daemon.calls.get(timeout=support.LIMIT), ("setOnline", {"isOnline": False}))
        daemon.status = status(queue={"uploads": 1})
        self.until(lambda: self.get("Status", ACCOUNT, path) == 2)
        os.unlink(f"{self.folder}/run/ubiquity/m.json")
        self.until(lambda: not self.accounts())

    def test_the_library_of_file_managers_finds_the_account(self):
        self.mounted(queue={"uploads": 1})
        self.start()
        self.until(lambda: self.accounts() and self.accounts()[0][1]["Status"] == 2)
        installed = f"{self.folder}/installed"
        subprocess.run([f"{DESKTOP}/install", installed, "/usr"], check=True, timeout=60)
        collector = subprocess.run(
            ["/usr/bin/python3", "-B", f"{DESKTOP}/tests/system/collector.py"], capture_output=True, text=True, timeout=60,
            check=False, env={**self.environment, "XDG_DATA_DIRS": f"{installed}/usr/share"})
        self.assertEqual(collector.returncode, 0, collector.stderr)
        self.assertEqual([json.loads(line) for line in collector.stdout.splitlines()], [{
            "provider": "Ubiquity", "name": "Mobile", "path": self.mount, "status": 2, "status_details": "Uploading 1 item",
            "has_icon": True}])


class ThumbnailTests(ProgramTestCase):
    def test_the_mark_of_a_failed_thumbnailer_goes_when_the_bytes_arrive(self):
        path = f"{self.mount}/C/a.jpg"
        mark = f"{self.folder}/cache/thumbnails/fail/gnome-thumbnail-factory/{thumbnails.name(path)}"
        os.makedirs(os.path.dirname(mark))
        open(mark, "w", encoding="utf-8").close()
        daemon = self.mounted()
        self.start()
        self.until(lambda: "Go Offline" in self.lines())
        daemon.happened("status", path="C/a.jpg", item={"kind": "file", "downloadingStatus": "current"})
        self.until(lambda: not os.path.exists(mark))


class StartTests(ProgramTestCase):
    def script(self, name, text):
        with open(f"{self.folder}/bin/{name}", "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(f"{self.folder}/bin/{name}", 0o700)

    def file_manager(self):
        """Makes one that records which folder it was asked to open. Returns the file of that record."""
        record = f"{self.folder}/opened"
        self.script("xdg-open-folder", f'printf "%s" "$1" > "{record}.new"; mv "{record}.new" "{record}"')
        applications = f"{self.folder}/.local/share/applications"
        for folder in (applications, f"{self.folder}/config", self.mount):
            os.makedirs(folder, exist_ok=True)
        with open(f"{applications}/folders.desktop", "w", encoding="utf-8") as file:
            file.write("[Desktop Entry]\nType=Application\nName=F\nExec=xdg-open-folder %u\nMimeType=inode/directory;\n")
        with open(f"{self.folder}/config/mimeapps.list", "w", encoding="utf-8") as file:
            file.write("[Default Applications]\ninode/directory=folders.desktop\n")
        self.environment.pop("XDG_DATA_HOME", None)
        return record

    def opened(self, record):
        self.until(lambda: os.path.exists(record))
        with open(record, encoding="utf-8") as file:
            return file.read()

    def offered(self, status):
        """Starts it from a menu where nothing is mounted, and takes the offer; `status` is that of systemctl."""
        record, mounts = self.file_manager(), f"{self.folder}/run/ubiquity"
        self.mounted()
        # The record of the mount appears with the service, or without it with the command.
        os.rename(f"{mounts}/m.json", f"{self.folder}/m.json")
        appear = f'mv "{self.folder}/m.json" "{mounts}/m.json"'
        self.script("systemctl", f'echo "$@" > "{self.folder}/enabled"; {appear if status == 0 else ":"}; exit {status}')
        self.script("ubiquity", f'test "$1" = mount && {appear}')
        _, server, _ = self.notifications()
        self.program("--open")
        ((title, _, buttons),) = self.until(lambda: self.shown(server))
        self.assertEqual((title, buttons), ("Your documents are not mounted", ["default", "", "0", "Mount Now"]))
        self.invoke(server, 1, "0")
        self.assertTrue(self.opened(record).endswith("/Mobile"))
        with open(f"{self.folder}/enabled", encoding="utf-8") as file:
            self.assertEqual(file.read(), "--user enable --now ubiquity.service\n")

    def test_who_starts_it_from_a_menu_is_offered_a_mount_and_gets_its_folder(self):
        self.offered(0)

    def test_the_offer_needs_no_systemd_in_the_session(self):
        self.offered(1)

    def test_a_mount_that_fails_says_why(self):
        self.script("systemctl", "exit 1")
        self.script("ubiquity", "echo the disk is full >&2; exit 7")
        _, server, _ = self.notifications()
        self.program("--open")
        self.until(lambda: self.shown(server))
        self.invoke(server, 1, "default")
        _, (title, text, _) = self.until(lambda: self.shown(server) if len(self.shown(server)) == 2 else None)
        self.assertEqual((title, text), ("The documents cannot be mounted", "the disk is full"))

    def test_one_runs_in_a_session_and_a_second_one_opens_the_folder(self):
        record = self.file_manager()
        self.mounted()
        first = self.start()
        self.until(lambda: "Go Offline" in self.lines())
        second = self.program()
        self.assertEqual(second.wait(support.LIMIT), 0)
        self.assertTrue(self.opened(record).endswith("/Mobile"))
        self.assertIsNone(first.poll())
        self.assertEqual(self.program("--quit").wait(support.LIMIT), 0)
        self.assertEqual(first.wait(support.LIMIT), 0)
        last = self.program("--quit")
        self.assertEqual(last.wait(support.LIMIT), 1)
        self.assertIn("does not run in this session", last.stderr.read())

    def test_it_ends_in_order_at_a_signal(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            process = self.start()
            process.send_signal(number)
            self.assertEqual(process.wait(support.LIMIT), 0)
            self.assertEqual(process.stderr.read(), "")

    def test_without_a_bus_it_says_what_to_do(self):
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={self.folder}/none"
        process = self.program()
        self.assertEqual(process.wait(support.LIMIT), 1)
        self.assertIn("there is no bus of a session", process.stderr.read())

    def test_it_ends_with_its_bus(self):
        daemon = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--print-address"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.processes.append(daemon)
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = daemon.stdout.readline().strip()
        bus = dbus.bus.BusConnection(self.environment["DBUS_SESSION_BUS_ADDRESS"])
        process = self.program()
        self.until(lambda: bus.name_has_owner(ID))
        bus.close()
        daemon.terminate()
        self.assertEqual(process.wait(support.LIMIT), 0)

    def test_its_help_and_its_choice_of_the_start_are_for_people(self):
        process = self.program("--help")
        self.assertEqual(process.wait(support.LIMIT), 0)
        self.assertIn("--start-at-login", process.stdout.read())
        entry = f"{self.folder}/config/autostart/{ID}.desktop"
        for choice, hidden in (("yes", "Hidden=false"), ("no", "Hidden=true")):
            self.assertEqual(self.program("--start-at-login", choice).wait(support.LIMIT), 0)
            with open(entry, encoding="utf-8") as file:
                self.assertIn(hidden, file.read())
        unknown = self.program("--nothing")
        self.assertEqual(unknown.wait(support.LIMIT), 2)

    def test_an_idle_program_costs_almost_nothing(self):
        self.mounted()
        process = self.start()
        self.until(lambda: "Go Offline" in self.lines())

        def used():
            with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
                fields = file.read().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        before, began = used(), time.monotonic()
        with self.assertRaises(subprocess.TimeoutExpired):
            process.wait(4)
        self.assertLess((used() - before) / (time.monotonic() - began), 0.02)
