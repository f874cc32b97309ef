"""The targets of the workloads: the disk, this project's mount, rclone's mount, libfuse's passthrough_hp."""

import os

from targets.disk import Disk
from targets.passthrough import Passthrough
from targets.rclone import Rclone
from targets.target import Failure, Target
from targets.ubiquity import Ubiquity

__all__ = ["Failure", "Target", "start"]


def start(arguments, workspace, repository):
    """Returns the targets that can be measured here, the disk first. Others' mounts that are not available are left out, with a message."""
    running = [Disk(workspace), Ubiquity(workspace, arguments.programs)]
    others = [] if arguments.without_rclone else [("rclone", Rclone)]
    # It opens the files of its source by handles, which only root may do.
    others += [] if arguments.without_hp or os.geteuid() != 0 else [("passthrough_hp", Passthrough)]
    for name, other in others:
        try:
            running.append(other(workspace, repository))
        except Failure as failure:
            print(f"bench: going on without {name}: {failure}")
    return running
