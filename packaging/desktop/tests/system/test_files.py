"""The program `ubiquity-files`, as the extensions of Dolphin start it."""

import json
import subprocess
import sys

from program import DESKTOP, ProgramTestCase


class FilesProgramTests(ProgramTestCase):
    def start(self):
        process = subprocess.Popen(
            [sys.executable, f"{DESKTOP}/ubiquity-files"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=self.environment)
        self.processes.append(process)
        self.addCleanup(process.stdin.close)
        return process

    def ask(self, process, request):
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()

    def test_emblems_and_menus_over_pipes(self):
        daemon = self.mounted()
        daemon.states = {"a": "cloud"}
        process = self.start()
        self.ask(process, {"follow": [f"file://{self.mount}/a"]})
        while True:
            icons = json.loads(process.stdout.readline())["emblems"]
            if icons[f"file://{self.mount}/a"]:
                break
        self.assertEqual(icons, {f"file://{self.mount}/a": "emblem-ubiquity-cloud"})
        self.ask(process, {"menu": 1, "uris": [f"file://{self.mount}/a"]})
        self.assertEqual(json.loads(process.stdout.readline())["items"][0][0], "download")

    def test_it_ends_with_its_input(self):
        process = self.start()
        process.stdin.close()
        self.assertEqual(process.wait(timeout=20), 0)
        self.assertEqual(process.stderr.read(), b"")
