"""The cost of a small change in a large file."""

import os

from workloads.sequential import write
from workloads.workload import Figure, Stopwatch, Workload


class Delta(Workload):
    """bytes sent to the cloud for 1 MiB changed inside a large file (Ubiquity only)"""

    name = "delta"

    def figures(self, quick):
        return [
            Figure("sent", f"1 MiB changed in {size(quick)} MiB: sent", "MiB", limit=4),
            Figure("until sent", "… until it is in the cloud", "ms"),
        ]

    def run(self, place):
        if not hasattr(place.target, "cloud_bytes"):
            return {}
        path = place.at("large")
        write(path, size(place.quick))
        place.target.settle()
        before = place.target.cloud_bytes()
        with Stopwatch() as watch:
            with open(path, "r+b", buffering=0) as file:
                file.seek((size(place.quick) // 2 << 20) + 12345)
                file.write(os.urandom(1 << 20))
            place.target.settle()
        return {"sent": place.target.cloud_bytes() - before, "until sent": watch.seconds}


def size(quick):
    return 128 if quick else 1024
