"""A private S3 engine for tests: Ceph's radosgw with one monitor and one OSD on loopback, all in one directory.

The OSD keeps its objects in a sparse file (bluestore). The daemons run as the calling user and do not use /etc/ceph or /var/lib/ceph, so
neither root nor an installed cluster is involved. There is no manager daemon: it serves statistics and balancing, which one OSD does not
need. Between the daemons there is no authentication; clients of the gateway need its keys.
"""

import contextlib
import ctypes
import http.client
import json
import os
import random
import secrets
import select
import shutil
import signal
import socket
import subprocess
import time
import uuid

from bucket import Bucket
from devices import Failure

LIMIT = 120
"""Seconds after which a step of the start counts as a hang."""
PACKAGES = {"ceph": "ceph-common", "ceph-mon": "ceph-mon", "ceph-osd": "ceph-osd", "radosgw": "radosgw"}
"""Programs, and the Debian packages that have them."""
BUCKET, REGION = "ubiquity", "us-east-1"
SIZE = 32 << 30
"""The size in bytes of the OSD's sparse file."""
CONFIGURATION = """[global]
fsid = {identity}
mon host = [v2:127.0.0.1:{monitor}]
mon initial members = a
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
# radosgw asks for encrypted connections to the monitor by default, which need authentication.
ms mon client mode = crc
run dir = {folder}
crash dir = {folder}
admin socket =
log file = {folder}/$name.log
mon cluster log file = {folder}/cluster.log
# One copy of each object on the only OSD. Each placement group costs time at the start.
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
# The monitor collects changes of its maps for a second by default, and each pool needs several.
paxos propose interval = 0.01
paxos min wait = 0.01
# By default the monitor refuses to start with less than 5 % of the disk free, which says little on a large one.
mon data avail crit = 1

[mon.a]
mon data = {folder}/monitor

[osd.0]
osd data = {folder}/objects
osd objectstore = bluestore
bluestore block create = true
bluestore block size = {size}
# The least that Ceph accepts: 896 MiB.
osd memory target = 939524096

[client.rgw]
rgw data = {folder}/gateway
rgw frontends = beast endpoint=127.0.0.1:{gateway}
rgw max concurrent requests = {requests}
"""


class Cluster:
    """A cluster in a directory. `start` creates it there the first time, and starts what was stopped or has died otherwise."""

    def __init__(self, folder, endsWithParent=False, requests=1024):
        """`endsWithParent`: the kernel kills the daemons when this process dies, however it does.
        `requests`: the number of requests at once above which the gateway returns 503.
        """
        self.folder, self.endsWithParent, self.requests = os.path.abspath(folder), endsWithParent, requests
        self.settings = None

    # The life of a cluster

    def start(self):
        requirePackages()
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        if not os.path.exists(self.path("settings.json")):
            if os.listdir(self.folder):
                raise Failure(f"{self.folder} is not empty and has no cluster. Name another directory, or remove this one if a start was interrupted.")
            self.create()
        with open(self.path("settings.json")) as file:
            self.settings = json.load(file)
        for name, command in self.daemons().items():
            if not self.process(name):
                self.launch(name, *command)
        self.awaitGateway()

    def stop(self, isTemporary=False):
        """Ends the daemons: in order, or at once if nothing of the cluster is needed any more."""
        for name in ["gateway", "objects", "monitor"]:
            self.end(name, signal.SIGKILL if isTemporary else signal.SIGTERM)

    # Faults of the gateway, which clients see as the engine

    def kill(self):
        self.end("gateway", signal.SIGKILL)

    def startAgain(self):
        self.launch("gateway", *self.daemons()["gateway"])
        self.awaitGateway()

    @contextlib.contextmanager
    def frozen(self):
        os.kill(self.process("gateway"), signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.process("gateway"), signal.SIGCONT)

    def create(self):
        self.settings = {"identity": str(uuid.uuid4()), "monitor": freePort(), "gateway": freePort(), "access": secrets.token_hex(10).upper(),
                         "secret": secrets.token_hex(20)}
        with open(self.path("ceph.conf"), "w") as file:
            file.write(CONFIGURATION.format(folder=self.folder, size=SIZE, requests=self.requests, **self.settings))
        for name in ["monitor", "objects", "gateway"]:
            os.mkdir(self.path(name))
        self.command("monmaptool", "--create", "--fsid", self.settings["identity"], "--addv", "a",
                     f"[v2:127.0.0.1:{self.settings['monitor']}]", self.path("monmap"))
        self.command("ceph-mon", "-i", "a", "--mkfs", "--monmap", self.path("monmap"))
        daemons, identity = self.daemons(), str(uuid.uuid4())
        self.launch("monitor", *daemons["monitor"])
        self.command("ceph", "osd", "new", identity)
        self.command("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", identity)
        self.launch("objects", *daemons["objects"])
        self.command("radosgw-admin", "-n", "client.rgw", "user", "create", "--uid", "ubiquity", "--display-name", "Ubiquity",
                     "--access-key", self.settings["access"], "--secret-key", self.settings["secret"])
        # Last, so that a directory with settings has a complete cluster.
        with open(os.open(self.path("settings.json"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(self.settings, file)

    # What clients need

    @property
    def port(self):
        return self.settings["gateway"]

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.port}"

    def url(self, prefix, endpoint=None):
        return f"s3://{BUCKET}/{prefix}?endpoint={endpoint or self.endpoint}&region={REGION}"

    def keys(self):
        return {"AWS_ACCESS_KEY_ID": self.settings["access"], "AWS_SECRET_ACCESS_KEY": self.settings["secret"]}

    def environment(self, endpoint=None):
        return {"UBIQUITY_S3_URL": self.url("tests", endpoint)} | self.keys()

    def bucket(self):
        return Bucket(self.endpoint, BUCKET, self.settings["access"], self.settings["secret"], REGION)

    def awaitGateway(self):
        """Returns when the bucket exists and a PUT to it has succeeded."""
        bucket, last, end = self.bucket(), None, time.monotonic() + LIMIT
        while time.monotonic() < end:
            if not self.process("gateway"):
                raise Failure(f"radosgw ended: {self.tail('gateway')}")
            try:
                last = bucket.create()
                if last.status == 200:
                    last = bucket.put("started", b"")
                if last.status == 200:
                    return
                if last.status < 500:
                    break
            except (OSError, http.client.HTTPException) as error:
                last = error
            # radosgw has no notification of its readiness.
            time.sleep(0.05)
        raise Failure(f"radosgw does not accept a PUT: {last}; {self.tail('gateway')}")

    # Processes

    def daemons(self):
        """Each daemon's name and command, in the order of their start."""
        return {"monitor": ["ceph-mon", "-i", "a"], "objects": ["ceph-osd", "-i", "0"], "gateway": ["radosgw", "-n", "client.rgw"]}

    def path(self, name):
        return os.path.join(self.folder, name)

    def command(self, *command):
        """Runs a program on this cluster. A program that waits for a daemon is ended after `LIMIT`."""
        try:
            subprocess.run([command[0], "-c", self.path("ceph.conf"), *command[1:]] if command[0] != "monmaptool" else command, check=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT)
        except subprocess.SubprocessError as error:
            raise Failure(f"{error}\n{error.output or ''}{self.tail('objects')}") from error

    def launch(self, name, *command):
        with open(self.path(f"{name}.out"), "ab") as output:
            process = subprocess.Popen([*command, "-c", self.path("ceph.conf"), "-f"], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                       start_new_session=True, preexec_fn=endWithParent if self.endsWithParent else None)
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

    def end(self, name, number):
        """Sends a signal to a daemon and waits for its end; after 10 seconds it is killed."""
        pid = self.process(name)
        if not pid:
            return
        with contextlib.suppress(ProcessLookupError):
            descriptor = os.pidfd_open(pid)
            try:
                for last in [number, signal.SIGKILL]:
                    signal.pidfd_send_signal(descriptor, last)
                    if select.select([descriptor], [], [], 10)[0]:
                        break
            finally:
                os.close(descriptor)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)

    def tail(self, name):
        """The last lines that a daemon printed, and where its log is."""
        try:
            with open(self.path(f"{name}.out"), errors="replace") as file:
                return f"{file.read()[-1000:]}\nLogs: {self.folder}/*.log"
        except OSError:
            return f"\nLogs: {self.folder}/*.log"


def requirePackages():
    missing = sorted({package for program, package in PACKAGES.items() if not shutil.which(program)})
    if missing:
        raise Failure(f"not installed: {', '.join(missing)}. Run scripts/setup s3.")


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


def freePort():
    """Returns a port that nothing uses, outside of the range from which the kernel gives ports to clients."""
    while True:
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", random.randrange(20000, 32000)))
            return probe.getsockname()[1]
