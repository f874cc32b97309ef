import json
import unittest

import support  # noqa: F401
from ubiquity_desktop import versions


def version(name, kind, **fields):
    return {"version": name, "kind": kind, "device": "desk", "modified": "2026-11-20T14:03:12.500Z", "size": 9, **fields}


class VersionTests(unittest.TestCase):
    def parse(self, *fields):
        return versions.parse(json.dumps({"format": 1, "path": "a", "isDeleted": False, "versions": fields}))

    def test_versions_that_are_malformed_are_left_out(self):
        found = self.parse(
            version("9.0", "current", file="/m/a", isHere=True), {"version": "8.0"}, 7, None,
            version("7.0", "history", modified="yesterday"), version("6.0", "history", size=None))
        self.assertEqual([(each.name, each.is_here) for each in found], [("9.0", True)])
        self.assertEqual(found[0].cells[1:], ("desk", "9 bytes", "Current"))

    def test_each_version_has_the_commands_for_it(self):
        current, conflict, earlier = self.parse(
            version("9.0", "current"), version("8.0", "conflict"), version("7.0", "history"))
        self.assertEqual(
            versions.commands(earlier, "/m/a", True), [("Restore", ["restore", "--version", "7.0", "--", "/m/a"])])
        self.assertEqual(versions.commands(current, "/m/a", False), [])
        self.assertEqual(
            [words[2] for _, words in versions.commands(current, "/m/a", True)], ["current", "both"])
        self.assertEqual([words[2] for _, words in versions.commands(conflict, "/m/a", True)], ["8.0", "both"])
        self.assertEqual(versions.commands(None, "/m/a", True), [])

    def test_sizes_are_short(self):
        self.assertEqual(
            [versions.size(count) for count in (0, 999, 1_000, 12_345, 10 ** 9, 10 ** 18)],
            ["0 bytes", "999 bytes", "1.0 kB", "12 kB", "1.0 GB", "1000000 TB"])
