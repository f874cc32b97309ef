import json
import os
import tempfile
import unittest

import support  # noqa: F401
from ubiquity_desktop import mounts


class MountTests(unittest.TestCase):
    def test_a_path_is_in_the_innermost_mount(self):
        known = {"/home/u/Mobile": None, "/home/u/Mobile/inner": None}
        self.assertEqual(mounts.containing("/home/u/Mobile/a/b", known), ("/home/u/Mobile", "a/b"))
        self.assertEqual(mounts.containing("/home/u/Mobile/inner/a", known), ("/home/u/Mobile/inner", "a"))
        self.assertEqual(mounts.containing("/home/u/Mobile", known), ("/home/u/Mobile", ""))
        self.assertIsNone(mounts.containing("/home/u/MobileDocuments/a", known))
        self.assertIsNone(mounts.containing("/", known))

    def test_records_of_ended_daemons_and_files_that_are_no_records_are_skipped(self):
        with tempfile.TemporaryDirectory() as folder:
            good = {"format": 1, "mount": "/m", "pid": os.getpid(), "state": "/s", "socket": "/s/control.sock"}
            records = [
                good, {**good, "mount": "/later", "format": 2}, {**good, "mount": "/gone", "pid": 2 ** 22 + 1},
                {**good, "mount": 7}, {**good, "mount": "relative"}, {**good, "mount": "/x", "pid": -1},
                {**good, "mount": "/y", "pid": 10 ** 40}, [], 7,
            ]
            for number, record in enumerate(records):
                with open(f"{folder}/{number}.json", "w", encoding="utf-8") as file:
                    json.dump(record, file)
            for name, data in (("bad.json", b"\xff{"), ("deep.json", b"[" * 60_000), ("other.txt", b"{}")):
                with open(f"{folder}/{name}", "wb") as file:
                    file.write(data)
            found = mounts.read([f"{folder}/none", folder])
            self.assertEqual(found["/m"], mounts.Mount("/m", "/s/control.sock", os.getpid()))
            self.assertEqual(set(found) - {"/y"}, {"/m"})

    def test_records_are_looked_for_where_daemons_leave_them(self):
        home = os.path.expanduser("~")
        self.assertEqual(
            mounts.directories({"XDG_RUNTIME_DIR": "/run/user/7"}, 7),
            ["/run/user/7/ubiquity", f"{home}/.local/state/ubiquity"])
        self.assertEqual(
            mounts.directories({"XDG_RUNTIME_DIR": "/t/run", "XDG_STATE_HOME": "/t/state", "UBIQUITY_SCOPE": "/t"}, 7),
            ["/t/run/ubiquity", "/t/state/ubiquity"])
