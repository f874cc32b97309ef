"""A server and two devices, each in a network namespace of its own, for `namespaces`.

The server is connected to a bridge by a veth pair, each device by a cable with injected faults (`cable.py`). All of it, mounts and the
trusted certificate included, is in namespaces of this process, so it ends with the process and nothing else on the machine sees it.
"""

import json
import os
import re
import subprocess
import sys

from devices import PROGRAM, Device, Failure, run
from network import SERVER, Server

ADDRESSES = {"server": "10.77.0.1", "A": "10.77.0.2", "B": "10.77.0.3"}
PORT = 8443
TRUSTED = "/etc/ssl/certs/ca-certificates.crt"
"""The certificates that programs on Debian trust; a device trusts the certificates of its system."""


def seclude():
    """Executes this program again in network and mount namespaces of its own."""
    if os.environ.pop("UBIQUITY_SECLUDED", None):
        return
    if os.geteuid() != 0:
        sys.exit("namespaces: network namespaces and mounts in them need root")
    os.environ["UBIQUITY_SECLUDED"] = "1"
    os.execvp("unshare", ["unshare", "--mount", "--net", "--propagation", "private", sys.executable, *sys.argv])


def within(name):
    """The prefix of a command that runs in the namespace."""
    return ["nsenter", f"--net=/run/netns/{name}"]


class Cable:
    """The cable between a device and the bridge."""

    def __init__(self, name):
        self.name = name
        self.process = subprocess.Popen(
            [sys.executable, f"{os.path.dirname(os.path.abspath(__file__))}/cable.py", f"to{name}", f"/run/netns/{name}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.reply()

    def reply(self):
        line = self.process.stdout.readline()
        if not line:
            raise Failure(f"the cable of {self.name} is gone")
        return line

    def set(self, **how):
        """Configures the cable and returns how many frames passed, were lost and were overtaken so far."""
        self.process.stdin.write(json.dumps(how) + "\n")
        self.process.stdin.flush()
        return json.loads(self.reply())

    def cut(self):
        """Cuts the cable and ends the device's connections, as when a laptop changes networks."""
        self.set(isUp=False)
        run(*within(self.name), "ss", "--kill", "--tcp", "dst", ADDRESSES["server"])

    def sent(self):
        """Bytes that the device sent over its interface, with all headers and retransmissions."""
        shown = json.loads(run("ip", "-n", self.name, "-s", "-j", "link", "show", "eth0"))
        return shown[0]["stats64"]["tx"]["bytes"]

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def lay():
    """Creates the namespaces and their connections, and returns the cables of the devices."""
    os.makedirs("/run/netns", exist_ok=True)
    run("mount", "-t", "tmpfs", "netns", "/run/netns")
    run("ip", "link", "add", "bridge", "type", "bridge")
    run("ip", "link", "set", "bridge", "up")
    for name in ADDRESSES:
        run("ip", "netns", "add", name)
    run("ip", "link", "add", "toserver", "type", "veth", "peer", "name", "eth0", "netns", "server")
    cables = {name: Cable(name) for name in ["A", "B"]}
    for name, address in ADDRESSES.items():
        run("ip", "link", "set", f"to{name}", "master", "bridge", "up")
        run("ip", "-n", name, "link", "set", "lo", "up")
        run("ip", "-n", name, "address", "add", f"{address}/24", "dev", "eth0")
        run("ip", "-n", name, "link", "set", "eth0", "up")
    return cables


def certify(root):
    """Creates an authority and a certificate for the server, and makes this process and its children trust the authority."""
    authority = ["-x509", "-subj", "/CN=An authority for tests", "-keyout", "ca.key", "-out", "ca.pem", "-addext", "basicConstraints=critical,CA:TRUE"]
    server = ["-x509", "-subj", "/CN=A server for tests", "-keyout", "server.key", "-out", "server.pem", "-CA", "ca.pem", "-CAkey", "ca.key",
              "-addext", f"subjectAltName=IP:{ADDRESSES['server']}", "-addext", "basicConstraints=CA:FALSE"]
    for what in [authority, server]:
        run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", *what, cwd=root,
            stderr=subprocess.DEVNULL)
    with open(f"{root}/trusted.pem", "wb") as trusted:
        for path in [TRUSTED, f"{root}/ca.pem"]:
            with open(path, "rb") as file:
                trusted.write(file.read())
    run("mount", "--bind", f"{root}/trusted.pem", TRUSTED)


class SecureServer(Server):
    """A server with TLS in the namespace `server`."""

    url = f"https://{ADDRESSES['server']}:{PORT}"

    def __init__(self, root):
        super().__init__(root)
        self.root = root

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*within("server"), SERVER, "--data", self.data, "--listen", f"0.0.0.0:{PORT}", "--log-level", "warning",
                 "--tls-certificate", f"{self.root}/server.pem", "--tls-key", f"{self.root}/server.key"],
                stdout=subprocess.PIPE, stderr=log, text=True)
        if "listens" not in self.process.stdout.readline():
            raise Failure(f"the server does not start: {open(self.log).read()[-500:]}")

    def code_of(self, account):
        """Creates an account and returns a sign-in code of it."""
        return re.search(r"\b(?:[A-Z0-9]{4}-){3}[A-Z0-9]{4}\b", run(SERVER, "account", "add", account, "--data", self.data))[0]


class SecludedDevice(Device):
    """A device in a namespace of its own, with sign-ins of its own."""

    def __init__(self, root, name, cable):
        super().__init__(root, name)
        self.cable, self.cloud = cable, SecureServer.url
        self.home = f"{root}/{name}/home"
        os.makedirs(self.home)

    def command(self, *arguments, **options):
        environment = os.environ | {name: self.home for name in ["HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"]}
        return run(*within(self.name), PROGRAM, *arguments, env=environment, **options)

    def sign_in(self, code):
        self.command("login", self.cloud, "--code", code, "--device", self.name)

    def start(self):
        output = self.command("mount", self.mount, "--state", self.state, "--device", self.name, "--cloud", self.cloud,
                              stderr=subprocess.DEVNULL)
        self.pid = int(re.search(r"daemon (\d+)", output)[1])
