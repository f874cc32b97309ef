"""Random access to 4 KiB blocks of a local file, by fio."""

import json

from workloads.sequential import write
from workloads.workload import Figure, Workload

BLOCK = 4096


class RandomAccess(Workload):
    """4 KiB random reads, random writes with one fsync, writes with an fsync each (fio)"""

    name = "random"

    def figures(self, quick):
        return [
            Figure("read", "4 KiB random read, warm", "op/s", reads(quick), goal=0.95),
            Figure("write", f"4 KiB random write, {writes(quick):,} then fsync", "op/s", writes(quick), goal=0.95),
            Figure("write synced", "4 KiB write + fsync each", "op/s", synced(quick), goal=0.7),
        ]

    def run(self, place):
        path = place.at("file")
        write(path, 64)
        # The first pass warms the page cache.
        fio(place, path, "randread", reads(place.quick))
        return {
            "read": fio(place, path, "randread", reads(place.quick)),
            "write": fio(place, path, "randwrite", writes(place.quick), "--end_fsync=1"),
            "write synced": fio(place, path, "write", synced(place.quick), "--fsync=1"),
        }


def reads(quick):
    # fio reports milliseconds, so the run has to be long enough to compare.
    return 16384 if quick else 65536


def writes(quick):
    return 4096 if quick else 16384


def synced(quick):
    return 100 if quick else 300


def fio(place, path, kind, count, *more):
    """Returns the seconds that fio takes for that many blocks, without its start."""
    output = place.command(
        "fio", "--name=bench", f"--filename={path}", f"--rw={kind}", "--size=64m", f"--io_size={count * BLOCK}",
        f"--bs={BLOCK}", "--ioengine=psync", "--invalidate=0", "--overwrite=1", "--randseed=7", "--thread",
        "--output-format=json", *more)
    job = json.loads(output[output.index("{"):])["jobs"][0]
    return max(job["read"]["runtime"], job["write"]["runtime"], job["job_runtime"]) / 1000
