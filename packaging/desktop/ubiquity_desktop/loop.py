"""The loop of the file manager that has loaded an extension.

Everything runs on the thread of the windows, and nothing on it waits. Threads of Python's would not run: file managers keep the
interpreter's lock while they wait for events.
"""

from gi.repository import GLib

_READABLE = GLib.IOCondition.IN | GLib.IOCondition.HUP | GLib.IOCondition.ERR
_WRITABLE = GLib.IOCondition.OUT | GLib.IOCondition.HUP | GLib.IOCondition.ERR


class Loop:
    """Each method returns a number for `cancel`. That of `later` is void once it was called."""

    def readable(self, descriptor, call):
        return GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, descriptor, _READABLE, _again(call))

    def writable(self, descriptor, call):
        return GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, descriptor, _WRITABLE, _again(call))

    def later(self, seconds, call):
        def once():
            call()
            return GLib.SOURCE_REMOVE

        return GLib.timeout_add(round(seconds * 1_000), once)

    def cancel(self, number):
        GLib.source_remove(number)


def _again(call):
    def ready(*_):
        call()
        return GLib.SOURCE_CONTINUE

    return ready
