"""Runs each workload on each target, round after round, so that what disturbs the machine disturbs all alike."""

import shutil
import subprocess
import sys
import tempfile

from targets import Failure
from workloads.workload import Place


def measure(running, chosen, count, workspace, quick):
    """Every value of every round: [{workload, figure fields, "values": {target: [one per round]}}]."""
    numbers = [
        {"workload": workload.name, "figure": vars(figure), "values": {target.name: [] for target in running}}
        for workload in chosen for figure in workload.figures(quick)
    ]
    index = {(entry["workload"], entry["figure"]["name"]): entry["values"] for entry in numbers}
    for turn in range(count):
        for workload in chosen:
            # Another one is first each time.
            for target in running[turn % len(running):] + running[:turn % len(running)]:
                tell(f"round {turn + 1} of {count}: {workload.name} on {target.name}")
                try:
                    values = run_one(workload, target, workspace, quick)
                except (OSError, subprocess.CalledProcessError, Failure) as failure:
                    # The others can still be compared.
                    tell(f"{workload.name} on {target.name} failed: {failure}\n")
                    continue
                for name, value in values.items():
                    index[workload.name, name][target.name].append(value)
    tell("")
    return numbers


def run_one(workload, target, workspace, quick):
    """The work in a directory of its own, with a quiet machine before it."""
    path = tempfile.mkdtemp(prefix=f"{workload.name}-", dir=target.directory)
    try:
        target.settle()
        return workload.run(Place(target, path, workspace, quick))
    finally:
        shutil.rmtree(path, ignore_errors=True)
        target.settle()


def tell(text):
    """Shows what goes on, on a line that the next text replaces."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
    elif text:
        print(text, file=sys.stderr, flush=True)
