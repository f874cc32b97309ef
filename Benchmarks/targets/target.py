"""What all targets have in common."""

import os
import subprocess


class Failure(Exception):
    """A target can not be measured; the message says why and what to do."""


class Target:
    """A place to work in. `directory` is on an ordinary disk or inside a mount."""

    name = ""
    directory = ""
    # Whether files can be taken off the device and come back when they are opened.
    has_placeholders = False

    def settle(self):
        """Returns when nothing goes on in the background any more."""
        os.sync()

    def make_placeholders(self, paths):
        """Takes the bytes of these files off the device."""
        raise NotImplementedError


def call(command, environment, **options):
    """Runs a program and answers what it printed; Failure with its own words if it fails."""
    outcome = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)
    if outcome.returncode != 0:
        words = (outcome.stderr or outcome.stdout).strip()
        raise Failure(f"{' '.join(command)} ended with {outcome.returncode}: {words}")
    return outcome.stdout
