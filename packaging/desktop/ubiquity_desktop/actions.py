"""Runs commands beside the file manager, and shows what failed as a notification."""

import os
import shutil

from gi.repository import Gio, GLib

from .texts import markup

# Replaced by the installation; where it is not, programs are found by PATH.
PROGRAMS = "@BINDIR@"
# A command for so many paths has so many bytes at most; Linux accepts 2 MiB.
_BYTES = 1 << 20


def program(name, folder=PROGRAMS):
    beside = f"{folder}/{name}"
    return beside if os.access(beside, os.X_OK) else shutil.which(name) or name


def batches(paths, limit=_BYTES):
    """Splits paths so that each part fits into the arguments of a program."""
    batch, size = [], 0
    for path in paths:
        length = len(os.fsencode(path)) + 1
        if batch and size + length > limit:
            yield batch
            batch, size = [], 0
        batch.append(path)
        size += length
    if batch:
        yield batch


def perform(command, paths, done):
    """Runs a command for these paths and returns at once.

    `done` is called at the end, with what was printed if the command succeeded, otherwise with nothing.
    """
    output, problems = [], []
    waiting = list(batches(paths))

    def next_batch():
        if not waiting or problems:
            return finish()
        words = [program(command.words[0]), *command.words[1:], *waiting.pop(0)]
        run(words, ended)

    def ended(status, printed, errors):
        output.append(printed)
        if status != 0:
            problems.append(errors.strip() or f"{command.words[0]} ended with {status}")
        next_batch()

    def finish():
        if problems:
            notify(f"{command.label} failed", problems[0][:1_000])
        elif command.copies_link:
            notify("The link is copied", "Everybody who has it can read the document as it is now, for a week.")
        done(None if problems else "".join(output))

    next_batch()


def run(words, ended):
    """Starts a program, and calls `ended` with its status and what it printed."""
    try:
        started = Gio.Subprocess.new(
            [os.fsencode(word) for word in words], Gio.SubprocessFlags.STDOUT_PIPE | Gio.SubprocessFlags.STDERR_PIPE)
    except GLib.Error as error:
        return ended(-1, "", error.message)

    def finish(process, result):
        try:
            _, printed, errors = process.communicate_finish(result)
        except GLib.Error as error:
            return ended(-1, "", error.message)
        status = process.get_exit_status() if process.get_if_exited() else -1
        ended(status, _text(printed), _text(errors))

    started.communicate_async(None, None, finish)


def _text(data):
    return data.get_data().decode(errors="replace") if data is not None and data.get_size() > 0 else ""


def notify(title, text):
    """Shows a notification if this desktop can; it is no error if it can not."""
    if shutil.which("notify-send"):
        run(["notify-send", "--app-name=Ubiquity", "--icon=emblem-ubiquity-cloud", "--", title, markup(text)], lambda *_: None)
