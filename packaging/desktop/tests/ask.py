"""Asks real daemons as a file manager does, and prints what it learns. Used by the end-to-end tests.

    ask.py once PATH…            waits until the state of each path is known, and prints one line for each
    ask.py follow PATH STATE COMMAND STATE…
                                 waits until the path has a state (`-`: none is known), then runs a command of the shell,
                                 and so on
    ask.py time COUNT FOLDER     asks COUNT times for all that is in a folder, and prints the fastest in microseconds
"""

import os
import socket
import subprocess
import sys
import time

from support import Emblems, SelectLoop, frames
from ubiquity_desktop import mounts

LIMIT = 60


def once(paths):
    loop = SelectLoop()
    emblems = Emblems(lambda _: None, loop)
    for path in paths:
        emblems.state(path)
    # The mounts are known after the first turn of the loop.
    loop.run_until(lambda: emblems._read_at is not None)
    loop.run_until(lambda: None not in [emblems.state(path) for path in paths], LIMIT)
    for path in paths:
        print(emblems.state(path))


def follow(path, steps):
    loop = SelectLoop()
    emblems = Emblems(lambda _: None, loop)
    for number, step in enumerate(steps):
        if number % 2:
            subprocess.run(step, shell=True, check=True)
        else:
            state = None if step == "-" else step
            loop.run_until(lambda: emblems.state(path) == state, LIMIT)


def measure(count, folder):
    (mount, below) = mounts.containing(folder, mounts.read())
    paths = [f"{below}/{name}" for name in sorted(os.listdir(folder))][:1_000]
    splitter, best = frames.Splitter(), None
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(LIMIT)
        connection.connect(mounts.read()[mount].socket)

        def call(number, request):
            connection.sendall(frames.encode({"id": number, "request": request}))
            while True:
                for message in splitter.add(connection.recv(1 << 20)):
                    if message["id"] == number:
                        return message["response"]

        call(1, {"hello": {"program": "ask", "version": {"major": 1, "minor": 9}}})
        for number in range(2, 2 + count):
            started = time.perf_counter()
            states = call(number, {"emblems": {"paths": paths}})["emblems"]["emblems"]
            took = time.perf_counter() - started
            best = took if best is None else min(best, took)
        print(f"{len(states)} states in {best * 1e6:.0f} microseconds")


mode, *arguments = sys.argv[1:]
if mode == "once":
    once(arguments)
elif mode == "follow":
    follow(arguments[0], arguments[1:])
else:
    measure(int(arguments[0]), arguments[1])
