"""Runs each workload on each target, round after round, so that disturbances of the machine affect all alike."""

import shutil
import subprocess
import sys
import tempfile

from targets import Failure
from workloads.workload import Place


def measure(running, chosen, count, workspace, quick, neighbours):
    """Returns every value of every round, [{workload, figure fields, "values": {target: [one per round]}}], and whether all were run."""
    numbers = [
        {"workload": workload.name, "figure": vars(figure), "values": {target.name: [] for target in running}}
        for workload in chosen for figure in workload.figures(quick)
    ]
    index = {(entry["workload"], entry["figure"]["name"]): entry["values"] for entry in numbers}
    try:
        for turn in range(count):
            for target in running:
                target.settle()
            neighbours.observe()
            # A different target is first in each round.
            order = running[turn % len(running):] + running[:turn % len(running)]
            for workload, target in ((workload, target) for workload in chosen for target in order):
                show(f"round {turn + 1} of {count}: {workload.name} on {target.name}")
                for name, value in attempt(workload, target, workspace, quick).items():
                    index[workload.name, name][target.name].append(value)
    except KeyboardInterrupt:
        show("stopped: the table shows what was measured so far\n")
        return numbers, False
    show("")
    return numbers, True


def attempt(workload, target, workspace, quick):
    """Returns what the workload measured; nothing, with a message, if it failed: the others can still be compared."""
    try:
        return run_one(workload, target, workspace, quick)
    except (OSError, subprocess.CalledProcessError, Failure) as failure:
        show(f"{workload.name} on {target.name} failed: {failure}\n")
        return {}


def run_one(workload, target, workspace, quick):
    """Runs the workload in a directory of its own, after all background work has ended."""
    path = tempfile.mkdtemp(prefix=f"{workload.name}-", dir=target.directory)
    try:
        target.settle()
        return workload.run(Place(target, path, workspace, quick))
    finally:
        shutil.rmtree(path, ignore_errors=True)
        target.settle()


def show(text):
    """Shows the progress on a line that the next text replaces."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
    elif text:
        print(text, file=sys.stderr, flush=True)
