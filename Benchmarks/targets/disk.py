"""The underlying disk, whose speed is 1.0."""

from targets.target import Target


class Disk(Target):
    name = "disk"

    def __init__(self, workspace):
        self.directory = workspace.make("disk")
