"""What a workload is and what it measures."""

import contextlib
import os
import subprocess
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One number that a workload measures: seconds, or bytes for an amount. Less is better."""

    name: str
    title: str
    # The unit in which it is shown: "MiB/s", "op/s", "µs" or "ms" for seconds, or "MiB" for an amount.
    unit: str
    # How many MiB or operations the seconds were spent on.
    count: float = 1
    # The least speed relative to the disk that docs/PERFORMANCE.md aims at.
    goal: float | None = None
    # The most that the value itself may be, in the figure's unit.
    limit: float | None = None
    # The least speed relative to rclone that docs/PERFORMANCE.md aims at.
    rclone_goal: float | None = None


class Workload:
    name = ""

    def figures(self, quick):
        """What will be measured, in the order of the table."""
        raise NotImplementedError

    def run(self, place):
        """Runs in `place` and returns seconds (or bytes) by the names of figures, without those that the target does not support."""
        raise NotImplementedError


class Place:
    """An empty directory of a target to work in."""

    def __init__(self, target, path, workspace, quick):
        self.target = target
        self.path = path
        self.quick = quick
        self.workspace = workspace

    def at(self, *names):
        return os.path.join(self.path, *names)

    def command(self, *arguments, directory=None):
        """Runs a program to its end and returns its output; raises if it fails."""
        outcome = subprocess.run(arguments, cwd=directory or self.path, env=self.workspace.environment, check=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        return outcome.stdout.decode(errors="replace")

    def write_small_files(self, folder, count, size=4096):
        """Makes a folder of small files and returns their paths."""
        os.makedirs(self.at(folder), exist_ok=True)
        paths = [self.at(folder, f"file {number}") for number in range(count)]
        data = os.urandom(size)
        for path in paths:
            write_file(path, data)
        return paths


class Stopwatch:
    """Seconds spent inside `with`."""

    def __init__(self):
        self.seconds = 0.0

    def __enter__(self):
        self._start = time.perf_counter()
        return self

    def __exit__(self, *_):
        self.seconds += time.perf_counter() - self._start


def write_file(path, data, sync=False):
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.write(file, data)
    if sync:
        os.fsync(file)
    os.close(file)


def read_file(path, block=1 << 20):
    """Reads a file to its end with one buffer, so that only the kernel copies."""
    buffer = bytearray(block)
    with open(path, "rb", buffering=0) as file:
        while file.readinto(buffer):
            pass


def forget(what):
    """Makes the kernel drop clean pages (1), names and attributes (2) or both (3); returns False without the permission."""
    with contextlib.suppress(PermissionError), open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
        file.write(str(what))
        return True
    return False
