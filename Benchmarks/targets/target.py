"""What all targets have in common."""

import os
import subprocess


class Failure(Exception):
    """A target cannot be measured; the message says why and what to do."""


class Target:
    """A place to work in. `directory` is on an ordinary disk or inside a mount."""

    name = ""
    directory = ""
    # Whether files can be evicted from the device and are downloaded when they are opened.
    has_placeholders = False

    def settle(self):
        """Returns when no work is left in the background."""
        os.sync()

    def make_placeholders(self, paths):
        """Evicts the bytes of these files from the device."""
        raise NotImplementedError


def call(command, environment, **options):
    """Runs a program and returns its output; raises Failure with its error message if it fails."""
    outcome = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)
    if outcome.returncode != 0:
        message = (outcome.stderr or outcome.stdout).strip()
        raise Failure(f"{' '.join(command)} ended with {outcome.returncode}: {message}")
    return outcome.stdout
