"""Two devices with real daemons and mounts on one cloud, for the scripts that measure and stress them.

The programs are those of .build/release, or of the folder UBIQUITY_BIN; UBIQUITY_DEVICES_DIR is the folder for the devices and their
files (by default a new folder in /var/tmp).
"""

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

REPOSITORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.path.join(os.environ.get("UBIQUITY_BIN", f"{REPOSITORY}/.build/release"), "ubiquity")
LIMIT = 3600
"""Seconds after which a wait counts as a hang."""

class Failure(Exception):
    """A promise of the programs does not hold."""


def say(what, value=""):
    print(f"  {what:<58} {value}", flush=True)


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def timed(what, work):
    """Runs the work, prints how long it took, and returns its result and the seconds."""
    begun = time.monotonic()
    result = work()
    seconds = time.monotonic() - begun
    say(what, f"{seconds:.2f} s")
    return result, seconds


def until(what, holds):
    """Waits until the condition holds and prints how long that took."""
    begun = time.monotonic()
    while not holds():
        if time.monotonic() - begun > LIMIT:
            raise Failure(f"{what}: not within {LIMIT} s")
        time.sleep(0.1)
    say(what, f"{time.monotonic() - begun:.2f} s")


class Device:
    """A daemon with a mount and a state directory of its own."""

    def __init__(self, root, name):
        self.name = name
        self.mount = f"{root}/{name}/mount"
        self.state = f"{root}/{name}/state"
        self.cloud = f"file://{root}/cloud"
        self.documents = f"{self.mount}/CloudDocs/Documents"
        self.pid = None
        self.program, self.environment = PROGRAM, None
        os.makedirs(self.mount, exist_ok=True)

    def start(self):
        output = run(self.program, "mount", self.mount, "--state", self.state, "--device", self.name, "--cloud", self.cloud,
                     stderr=subprocess.DEVNULL, env=self.environment)
        self.pid = int(re.search(r"daemon (\d+)", output)[1])

    def stop(self):
        if self.pid:
            run(self.program, "unmount", self.mount, stderr=subprocess.DEVNULL, env=self.environment)
            self.pid = None

    def sync(self):
        run(PROGRAM, "sync", self.mount, "--wait", "--timeout", str(LIMIT))

    def query(self, sql):
        """Returns one number from the database, which is opened read-only."""
        database = sqlite3.connect(f"file:{self.state}/metadata.sqlite?mode=ro", uri=True, timeout=30)
        try:
            return database.execute(sql).fetchone()[0]
        finally:
            database.close()

    def items(self):
        return self.query("SELECT count(*) FROM local")

    def entries(self):
        return self.query("SELECT max(sequence) FROM container")

    def memory(self, key="VmRSS"):
        with open(f"/proc/{self.pid}/status") as status:
            return int(re.search(rf"{key}:\s+(\d+)", status.read())[1]) / 1024

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def processor(self):
        """Seconds of processor time so far."""
        with open(f"/proc/{self.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def say_cost(self, stage):
        database = sum(os.path.getsize(f"{self.state}/metadata.sqlite{end}") for end in ["", "-wal"]) / 2**20
        say(f"{self.name} {stage}: memory (peak), database, processor",
            f"{self.memory():.0f} ({self.memory('VmHWM'):.0f}) MiB, {database:.0f} MiB, {self.processor():.1f} s")

    def blobs(self):
        """Files with bytes in the content folder."""
        return sum(1 for folder, _, names in os.walk(f"{self.state}/content") for name in names
                   if os.lstat(f"{folder}/{name}").st_blocks > 0)


def play(work, root):
    print(f"{work.__name__}: {work.__doc__}", flush=True)
    a, b = Device(root, "A"), Device(root, "B")
    try:
        a.start()
        b.start()
        work(root, a, b)
    finally:
        for device in [b, a]:
            device.stop()


def main(*scenarios, only=()):
    """Runs the scenarios named on the command line, or all of them, each with new devices in a folder of its own. Those in `only` run where
    they are named."""
    known = {work.__name__: work for work in [*scenarios, *only]}
    base = os.environ.get("UBIQUITY_DEVICES_DIR") or tempfile.mkdtemp(prefix="ubiquity-devices-", dir="/var/tmp")
    for name in ["HOME", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"]:
        os.environ[name] = f"{base}/home"
    os.environ["UBIQUITY_SCOPE"] = os.path.realpath(base)
    # A daemon that crashes prints its backtrace and is not restarted, so that the run fails.
    os.environ["SWIFT_BACKTRACE"] = "enable=yes"
    os.makedirs(f"{base}/home", exist_ok=True)
    unknown = [name for name in sys.argv[1:] if name not in known]
    if unknown:
        sys.exit(f"there is no {unknown[0]}; there are: {', '.join(known)}")
    failed = False
    for name in sys.argv[1:] or [work.__name__ for work in scenarios]:
        root = f"{base}/{name}"
        try:
            play(known[name], root)
            shutil.rmtree(root)
        except (Failure, subprocess.CalledProcessError) as error:
            print(f"FAILED: {name}: {error}. What it left is in {root}.", flush=True)
            failed = True
    sys.exit(1 if failed else 0)
