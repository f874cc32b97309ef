"""The disk beneath everything: what 1.0 means."""

from targets.target import Target


class Disk(Target):
    name = "disk"

    def __init__(self, workspace):
        self.directory = workspace.make("disk")
