"""Daemons in a directory: each has a file with its pid and a file with what it printed. A later script finds them again by these."""

import contextlib
import ctypes
import os
import pwd
import random
import select
import signal
import socket
import subprocess

from devices import Failure

LIMIT = 120
"""Seconds after which a step of the start counts as a hang."""


class Daemons:
    """The daemons of one directory."""

    def __init__(self, folder, endsWithParent=False):
        """`endsWithParent`: the kernel kills the daemons when this process dies, however it does."""
        self.folder, self.endsWithParent = os.path.abspath(folder), endsWithParent

    def path(self, name):
        return os.path.join(self.folder, name)

    def launch(self, name, *command, user=None, **options):
        """Starts a daemon. `user`: the name of its user; None for that of this process."""
        rights = rightsOf(user)
        with open(self.path(f"{name}.out"), "ab") as output:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
                                       preexec_fn=endWithParent if self.endsWithParent else None, **rights, **options)
        with open(self.path(f"{name}.pid"), "w") as file:
            file.write(f"{process.pid} {startTime(process.pid)}")

    def process(self, name):
        """Returns the pid of a daemon that runs, or None."""
        try:
            with open(self.path(f"{name}.pid")) as file:
                pid, began = map(int, file.read().split())
            return pid if startTime(pid) == began else None
        except (OSError, ValueError):
            return None

    def end(self, name, number, patience=10):
        """Sends a signal to a daemon and waits for its end; after `patience`, in seconds, it is killed."""
        pid = self.process(name)
        if not pid:
            return
        with contextlib.suppress(ProcessLookupError):
            descriptor = os.pidfd_open(pid)
            try:
                for last in [number, signal.SIGKILL]:
                    signal.pidfd_send_signal(descriptor, last)
                    if select.select([descriptor], [], [], patience)[0]:
                        break
            finally:
                os.close(descriptor)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)

    @contextlib.contextmanager
    def frozen(self, name):
        """Stops a daemon for as long as the context lasts."""
        os.kill(self.process(name), signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.process(name), signal.SIGCONT)

    def run(self, *command, input="", **options):
        """Runs a program to its end and returns what it printed. A program that waits for a daemon is ended after `LIMIT`."""
        try:
            return subprocess.run(command, check=True, input=input, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT,
                                  **options).stdout
        except subprocess.SubprocessError as error:
            raise Failure(f"{error}\n{error.output or ''}") from error

    def tail(self, name):
        """The last lines that a daemon printed, and where the others are."""
        try:
            with open(self.path(f"{name}.out"), errors="replace") as file:
                return f"{file.read()[-1000:]}\nLogs: {self.folder}"
        except OSError:
            return f"\nLogs: {self.folder}"


def rightsOf(user):
    """The options of `subprocess` with which a program runs as a user; None for that of this process."""
    return {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []} if user else {}


# Looked up here, because little is safe between fork and exec when there are other threads.
PRCTL = ctypes.CDLL(None).prctl


def endWithParent():
    """Asks the kernel to kill the calling process when its parent dies (PR_SET_PDEATHSIG of prctl(2))."""
    PRCTL(1, signal.SIGKILL)


def startTime(pid):
    """When a process began, in clock ticks since the boot; with the pid it identifies the process. Zombies raise `ValueError`."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    if fields[0] == "Z":
        raise ValueError(f"{pid} has ended")
    return int(fields[19])


RESERVED = []
"""The sockets that hold the ports of `reservePort`."""


def reservePort(ports=range(20000, 32000)):
    """Returns one of the ports that nothing uses; by default from outside of the range from which the kernel gives ports to clients.

    No other reservation returns it while this process lives. Daemons can listen on it if they set SO_REUSEADDR, as servers do: the socket
    that holds the port does not listen, see socket(7).
    """
    # Most ports are free; where none is, this must not search for ever.
    for _ in range(10_000):
        holder = socket.socket()
        try:
            holder.bind(("127.0.0.1", random.choice(ports)))
        except OSError:
            holder.close()
            continue
        # Only now, because it would let the bind above succeed on a port that another reservation holds.
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        RESERVED.append(holder)
        return holder.getsockname()[1]
    raise Failure("no port is free")


def requirePrograms(packages, group):
    """Raises a `Failure` that names the missing packages. `packages`: programs, and the Debian packages that have them."""
    missing = sorted({package for program, package in packages.items() if not find(program)})
    if missing:
        raise Failure(f"not installed: {', '.join(missing)}. Run scripts/setup {group}.")


def find(program):
    """Returns the path of a program that may be one for administrators, or None."""
    places = ["", *os.environ.get("PATH", "").split(":"), "/usr/sbin", "/sbin"]
    found = (os.path.join(place, program) for place in places)
    return next((path for path in found if os.path.isabs(path) and os.access(path, os.X_OK)), None)
