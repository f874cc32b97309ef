"""A real server, and a network with injected faults between it and each device, for the scripts that test real daemons over HTTP."""

import contextlib
import os
import queue
import re
import signal
import socket
import struct
import subprocess
import threading
import time

from devices import PROGRAM, Failure, run

SERVER = os.path.join(os.path.dirname(PROGRAM), "ubiquity-server")
FAULTS = ["away", "cut", "lost", "stall", "slow", "unavailable", "short", "long", "flip"]
"""Faults of a network, or of an intermediary such as a proxy or cache: see `Proxy`."""


class Server:
    """`ubiquity-server` with one account, in a directory of its own."""

    def __init__(self, root):
        self.data, self.process, self.port = f"{root}/server", None, 0
        self.log = f"{root}/server.log"
        os.makedirs(self.data, exist_ok=True)

    def start(self):
        """Starts the server on its previous port, so that no device has to sign in again."""
        for _ in range(50):
            with open(self.log, "ab") as log:
                self.process = subprocess.Popen(
                    [SERVER, "--data", self.data, "--listen", f"127.0.0.1:{self.port}"], stdout=subprocess.PIPE, stderr=log, text=True)
            output = self.process.stdout.readline()
            if found := re.search(r":(\d+)", output):
                self.port = int(found[1])
                return
            self.process.wait()
            time.sleep(0.1)
        raise Failure(f"the server does not start: {open(self.log).read()[-500:]}")

    def code(self):
        """Returns a sign-in code for one more device."""
        known = run(SERVER, "account", "list", "--data", self.data)
        command = ["code"] if "anna" in known else ["add"]
        output = run(SERVER, "account", *command, "anna", "--data", self.data)
        return re.search(r"\b(?:[A-Z0-9]{4}-){3}[A-Z0-9]{4}\b", output)[0]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def startAgain(self):
        self.start()

    @contextlib.contextmanager
    def frozen(self):
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            self.process.wait()


class Proxy:
    """A proxy between one device and the server. `fault` applies to everything that passes while it is set:

    away: the server cannot be reached. cut: a connection breaks within the next bytes of a response. lost: the response is lost, though
    the request arrived. stall: responses stall. slow: they are slow. unavailable: 503. short, long: a response has fewer or more bytes
    than its length says. flip: one bit of it is changed.
    """

    def __init__(self, server, random, source="127.0.0.1"):
        """`source`: the address from which the device reaches the server, which limits the sign-ins of each."""
        self.server, self.random, self.fault, self.source = server, random, None, source
        self.healed = threading.Event()
        self.healed.set()
        self.open = set()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def set(self, fault):
        self.fault = fault
        if fault:
            self.healed.clear()
        else:
            self.healed.set()
        if fault == "away":
            for connection in list(self.open):
                self.break_(connection)

    def stop(self):
        self.set("away")
        self.listener.close()
        self.healed.set()

    def break_(self, connection):
        """Closes the connection with a reset, as after a peer has disappeared."""
        self.open.discard(connection)
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(OSError):
            connection.close()

    def accept(self):
        while True:
            try:
                device, _ = self.listener.accept()
            except OSError:
                return
            if self.fault == "away":
                self.break_(device)
                continue
            try:
                server = socket.create_connection(("127.0.0.1", self.server.port), timeout=5, source_address=(self.source, 0))
                server.settimeout(None)
            except OSError:
                self.break_(device)
                continue
            for end in [device, server]:
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.open |= {device, server}
            threading.Thread(target=self.pump, args=(device, server, self.request), daemon=True).start()
            threading.Thread(target=self.pump, args=(server, device, self.response), daemon=True).start()

    def pump(self, source, target, alter):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                if not alter(data, source, target):
                    break
        self.break_(source)
        self.break_(target)

    def request(self, data, device, server):
        if self.fault == "unavailable":
            device.sendall(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return False
        server.sendall(data)
        return True

    def response(self, data, _, device):
        fault = self.fault
        if fault == "lost":
            return False
        if fault == "stall":
            self.healed.wait()
        if fault == "cut":
            device.sendall(data[:self.random.randrange(len(data) + 1)])
            return self.random.random() < 0.5
        if fault in ("short", "long"):
            change = 7 if fault == "short" else -1
            data = re.sub(rb"(?i)(content-length: )(\d+)", lambda found: found[1] + b"%d" % max(0, int(found[2]) + change), data, count=1)
        if fault == "flip" and not data.endswith(b"\r\n\r\n"):
            place = self.random.randrange(max(0, data.find(b"\r\n\r\n")) or len(data) // 2, len(data))
            data = data[:place] + bytes([data[place] ^ 1 << self.random.randrange(8)]) + data[place + 1:]
        if fault == "slow":
            for start in range(0, len(data), 4096):
                if self.fault == "slow":
                    time.sleep(0.05)
                device.sendall(data[start:start + 4096])
            return True
        device.sendall(data)
        return True


class DistantProxy(Proxy):
    """A proxy that delays everything without limiting its rate, as a long line does; a new connection takes one more round trip.

    `requests` has the method and the path of each request so far.
    """

    def __init__(self, server, roundTrip=0):
        """`roundTrip`: in seconds."""
        self.roundTrip, self.requests = roundTrip, []
        super().__init__(server, None)

    def pump(self, source, target, alter):
        # Bounded, so that a slow reader slows the sender down.
        line = queue.Queue(1024)
        threading.Thread(target=self.deliver, args=(line, source, target), daemon=True).start()
        handshake = self.roundTrip if alter == self.request else 0
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                # A client sends its next request after the response, so a request begins where a piece begins.
                if alter == self.request and (begun := re.match(rb"(GET|HEAD|PUT|POST|DELETE) (\S+) HTTP/1", data)):
                    self.requests.append((begun[1].decode(), begun[2].decode()))
                line.put((time.monotonic() + handshake + self.roundTrip / 2, data))
                handshake = 0
        line.put((time.monotonic() + self.roundTrip / 2, None))

    def deliver(self, line, source, target):
        with contextlib.suppress(OSError):
            while True:
                due, data = line.get()
                time.sleep(max(0, due - time.monotonic()))
                if data is None:
                    break
                target.sendall(data)
        self.break_(source)
        self.break_(target)
