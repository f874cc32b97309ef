"""This project's mount, with a cloud, a state and a daemon of its own."""

import os
import re
import signal
import subprocess
import time

from targets.target import Failure, Target, call


class Ubiquity(Target):
    name = "ubiquity"
    has_placeholders = True

    def __init__(self, workspace, programs):
        self._program = os.path.join(programs, "ubiquity")
        if not os.access(self._program, os.X_OK):
            raise Failure(f"there is no {self._program}. Build it: swift build -c release")
        self._environment = workspace.environment
        self._mount = workspace.make("ubiquity", "mount")
        self.cloud = os.path.join(workspace.path, "ubiquity", "cloud")
        state = os.path.join(workspace.path, "ubiquity", "state")
        workspace.at_end(self._stop)
        self._pid = None
        output = self.run("mount", self._mount, "--state", state, "--device", "bench", "--cloud", f"file://{self.cloud}")
        self._pid = int(re.search(r"daemon (\d+)", output).group(1))
        self.directory = os.path.join(self._mount, "CloudDocs", "Documents")

    def run(self, *arguments):
        return call([self._program, *arguments], self._environment)

    def settle(self):
        self.run("sync", self.directory, "--wait", "--timeout", "120")
        os.sync()

    def make_placeholders(self, paths):
        self.settle()
        self.run("evict", *paths)

    def cloud_bytes(self):
        """The size of the cloud: the sum of the sizes of its files."""
        return sum(os.lstat(os.path.join(folder, name)).st_size
                   for folder, _, names in os.walk(self.cloud) for name in names)

    def _stop(self):
        subprocess.run([self._program, "unmount", self._mount], env=self._environment, capture_output=True, check=False)
        if os.path.ismount(self._mount):
            subprocess.run(["umount", "--lazy", self._mount], capture_output=True, check=False)
        self._end_daemon()

    def _end_daemon(self):
        for number in (0, 0, signal.SIGTERM, signal.SIGKILL):
            if self._pid is None or not os.path.exists(f"/proc/{self._pid}"):
                return
            os.kill(self._pid, number)
            time.sleep(1)
