"""The first open of a document whose bytes are in the cloud."""

import os

from workloads.sequential import write
from workloads.workload import Figure, Stopwatch, Workload, forget, read_file, write_file


class FirstOpen(Workload):
    """read small and large placeholders for the first time"""

    name = "placeholders"

    def figures(self, quick):
        return [
            Figure("small", "first open of a 64 KiB placeholder", "ms", small(quick)),
            Figure("first byte", f"first byte of a {large(quick)} MiB placeholder", "ms"),
            Figure("large", f"first read of a {large(quick)} MiB placeholder", "ms"),
        ]

    def run(self, place):
        files = [place.at(f"small {number}") for number in range(small(place.quick))]
        for path in files:
            write_file(path, os.urandom(64 << 10))
        big = place.at("large")
        write(big, large(place.quick))
        if place.target.has_placeholders:
            place.target.make_placeholders([*files, big])
        if not forget(1):
            return {}
        with Stopwatch() as opened:
            for path in files:
                read_file(path)
        with Stopwatch() as first, open(big, "rb", buffering=0) as file:
            file.read(1)
        with Stopwatch() as rest:
            read_file(big)
        return {"small": opened.seconds, "first byte": first.seconds, "large": first.seconds + rest.seconds}


def small(quick):
    return 20 if quick else 50


def large(quick):
    return 16 if quick else 100
