"""Operations on the names of small files: create, stat, rename, remove."""

import os

from workloads.workload import Figure, Stopwatch, Workload, write_file


class Names(Workload):
    """create, stat, rename and unlink small files"""

    name = "names"

    def figures(self, quick):
        files = count(quick)
        return [
            Figure("create", "create 4 KiB files", "op/s", files, goal=0.12, rclone_goal=10),
            Figure("stat", "stat after create, first", "op/s", files, goal=0.5),
            Figure("stat again", "stat after create, again", "op/s", files, goal=0.5),
            Figure("rename", "rename", "op/s", files, goal=0.12),
            Figure("unlink", "unlink", "op/s", files, goal=0.12),
        ]

    def run(self, place):
        old = [place.at(f"file {number}") for number in range(count(place.quick))]
        new = [path + ".renamed" for path in old]
        data = os.urandom(4096)
        return {
            "create": each(old, lambda path: write_file(path, data)),
            "stat": each(old, os.stat),
            "stat again": each(old, os.stat),
            "rename": each(zip(old, new), lambda pair: os.rename(*pair)),
            "unlink": each(new, os.unlink),
        }


def count(quick):
    return 500 if quick else 2000


def each(items, action):
    """Returns the seconds that the action takes for all items."""
    with Stopwatch() as watch:
        for item in items:
            action(item)
    return watch.seconds
