"""Listing a large folder."""

import os

from workloads.names import each
from workloads.workload import Figure, Workload, forget, write_file


class Listing(Workload):
    """ls -l of a folder of 10,000 entries, cold and warm"""

    name = "listing"

    def figures(self, quick):
        entries = count(quick)
        return [
            Figure("cold", f"ls -l of {entries:,}, cold", "ms", goal=0.55),
            Figure("warm", f"ls -l of {entries:,}, warm", "ms", goal=0.95),
        ]

    def run(self, place):
        os.mkdir(place.at("folder"))
        for number in range(count(place.quick)):
            write_file(place.at("folder", f"entry {number}"), b"")
        place.target.settle()
        results = {}
        # Drops names and attributes from the kernel's caches; the disk's blocks stay in them.
        if forget(2):
            results["cold"] = list_all(place)
        list_all(place)
        return results | {"warm": list_all(place)}


def count(quick):
    return 2000 if quick else 10000


def list_all(place):
    return each([place.at("folder")], lambda folder: place.command("ls", "-l", folder))
