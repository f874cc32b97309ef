"""The targets of the workloads: the disk, this project's mount, rclone's mount."""

from targets.disk import Disk
from targets.rclone import Rclone
from targets.target import Failure, Target
from targets.ubiquity import Ubiquity

__all__ = ["Failure", "Target", "start"]


def start(arguments, workspace, repository):
    """Returns the targets that can be measured here, the disk first. rclone is left out, with a message, if it is not available."""
    running = [Disk(workspace), Ubiquity(workspace, arguments.programs)]
    if not arguments.without_rclone:
        try:
            running.append(Rclone(workspace, repository))
        except Failure as failure:
            print(f"bench: going on without rclone: {failure}")
    return running
