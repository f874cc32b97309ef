#!/usr/bin/env python3
"""A network cable with injected faults: two Ethernet interfaces, and this process between them. Run by `laboratory.py`.

usage: cable.py INTERFACE NAMESPACE

It creates INTERFACE in its own network namespace and `eth0` in NAMESPACE (a path), and passes frames from each of them to the other. A
line of JSON on standard input changes how: {"delay": S, "jitter": S, "drop": 0…1, "isUp": true}. The reply is a line with the
numbers of frames so far: {"passed": N, "lost": N, "overtaken": N}.
Each frame waits for a time of its own between delay - jitter and delay + jitter, so later frames overtake earlier ones. It replaces
tc-netem(8), which not every kernel has.
"""

import ctypes
import fcntl
import heapq
import itertools
import json
import os
import random
import select
import struct
import sys
import time

CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TAP, IFF_NO_PI = 0x0002, 0x1000
FRAME = 65536
TURN = 64
"""How many frames are read from one end before the other end is read."""


def tap(name):
    """Creates an Ethernet interface in this namespace. Returns the descriptor of its frames, with which it is removed."""
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    fcntl.ioctl(descriptor, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
    return descriptor


def enter(namespace):
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = os.open(namespace, os.O_RDONLY | os.O_CLOEXEC)
    if libc.setns(descriptor, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), f"setns {namespace}")
    os.close(descriptor)


class Cable:
    def __init__(self, ends):
        self.other = dict(zip(ends, reversed(ends)))
        self.delay, self.jitter, self.drop, self.isUp = 0, 0, 0, True
        self.waiting, self.numbers = [], itertools.count()
        self.counts, self.last = {"passed": 0, "lost": 0, "overtaken": 0}, {end: 0 for end in ends}
        self.random = random.Random(1)

    def configure(self, line):
        for name, value in json.loads(line).items():
            setattr(self, name, value)
        if not self.isUp:
            self.counts["lost"] += len(self.waiting)
            self.waiting.clear()

    def take(self, end):
        """Reads the frames that have arrived; each is passed on at once, delayed, or dropped."""
        for _ in range(TURN):
            try:
                frame = os.read(end, FRAME)
            except BlockingIOError:
                return
            if not self.isUp or self.random.random() < self.drop:
                self.counts["lost"] += 1
                continue
            if self.delay == 0:
                self.put(self.other[end], next(self.numbers), frame)
                continue
            due = time.monotonic() + self.delay + self.random.uniform(-self.jitter, self.jitter)
            heapq.heappush(self.waiting, (due, next(self.numbers), self.other[end], frame))

    def put(self, end, number, frame):
        try:
            os.write(end, frame)
        except OSError:
            # The queue is full, or the interface is down.
            self.counts["lost"] += 1
            return
        self.counts["passed"] += 1
        self.counts["overtaken"] += number < self.last[end]
        self.last[end] = max(number, self.last[end])

    def release(self):
        """Passes on the frames that are due and returns the seconds until the next one is; None if no frame waits."""
        now = time.monotonic()
        while self.waiting and self.waiting[0][0] <= now:
            _, number, end, frame = heapq.heappop(self.waiting)
            self.put(end, number, frame)
        return self.waiting[0][0] - now if self.waiting else None

    def run(self):
        while True:
            ready, _, _ = select.select([0, *self.other], [], [], self.release())
            for end in ready:
                if end != 0:
                    self.take(end)
                elif line := os.read(0, 4096):
                    self.configure(line)
                    os.write(1, json.dumps(self.counts).encode() + b"\n")
                else:
                    return


def main():
    interface, namespace = sys.argv[1:]
    near = tap(interface)
    enter(namespace)
    far = tap("eth0")
    os.write(1, b"\n")
    Cable([near, far]).run()


if __name__ == "__main__":
    main()
