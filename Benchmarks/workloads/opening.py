"""Opening small local files."""

import os
import statistics
import time

from workloads.names import each
from workloads.workload import Figure, Workload, read_file


class Opening(Workload):
    """open and close, open and read, grep -r through small files"""

    name = "opening"

    def figures(self, quick):
        files = count(quick)
        return [
            Figure("open", "open + close, median", "µs", limit=60),
            Figure("read", "open + read + close small", "op/s", files, goal=0.08, rclone_goal=8),
            Figure("grep", f"grep -r of {files:,} small files, warm", "op/s", files),
        ]

    def run(self, place):
        paths = place.write_small_files("files", count(place.quick))
        place.target.settle()
        each(paths, read_file)
        return {
            "open": statistics.median(open_and_close(path) for path in paths),
            "read": each(paths, lambda path: read_file(path, 4096)),
            "grep": each([place.at("files")], lambda path: grep(place, path)),
        }


def count(quick):
    return 500 if quick else 2000


def open_and_close(path):
    start = time.perf_counter()
    os.close(os.open(path, os.O_RDONLY))
    return time.perf_counter() - start


def grep(place, folder):
    # grep finds nothing and exits with 1.
    place.command("sh", "-c", 'grep -r "no such line" "$0" || test $? = 1', folder)
