"""Sequential access to a large file."""

import os

from workloads.workload import Figure, Stopwatch, Workload, forget, read_file


class Sequential(Workload):
    """write a large file and sync it, read it cold and warm"""

    name = "sequential"

    def figures(self, quick):
        size = megabytes(quick)
        return [
            Figure("write", f"sequential write {size} MiB + fsync", "MiB/s", size, goal=0.95),
            Figure("read cold", "sequential read, cold", "MiB/s", size, goal=0.95),
            Figure("read warm", "sequential read, warm", "MiB/s", size, goal=0.95),
        ]

    def run(self, place):
        path = place.at("large")
        results = {"write": write(path, megabytes(place.quick))}
        if forget(1):
            with Stopwatch() as cold:
                read_file(path)
            results["read cold"] = cold.seconds
        read_file(path)
        with Stopwatch() as warm:
            read_file(path)
        return results | {"read warm": warm.seconds}


def megabytes(quick):
    return 64 if quick else 256


def write(path, size):
    """Returns the seconds to write that many MiB of random bytes, in pieces of 1 MiB, and to sync them."""
    piece = os.urandom(1 << 20)
    with Stopwatch() as watch, open(path, "wb", buffering=0) as file:
        for _ in range(size):
            file.write(piece)
        os.fsync(file.fileno())
    return watch.seconds
