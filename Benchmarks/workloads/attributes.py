"""Extended attributes."""

import os

from workloads.names import each
from workloads.workload import Figure, Workload


class Attributes(Workload):
    """getxattr of an attribute that is set"""

    name = "attributes"

    def figures(self, quick):
        return [Figure("getxattr", "getxattr, present", "op/s", count(quick), goal=0.06)]

    def run(self, place):
        paths = place.write_small_files("files", count(place.quick), size=10)
        try:
            for path in paths:
                os.setxattr(path, "user.bench", b"value")
        except OSError:
            # rclone's mount does not support them.
            return {}
        place.target.settle()
        return {"getxattr": each(paths, lambda path: os.getxattr(path, "user.bench"))}


def count(quick):
    return 200 if quick else 1000
