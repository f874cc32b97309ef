"""A private S3 engine for tests: Ceph's radosgw with one monitor and one OSD on loopback, all in one directory.

The OSD keeps its objects in a sparse file (bluestore). The daemons run as the calling user and do not use /etc/ceph or /var/lib/ceph, so
neither root nor an installed cluster is involved. There is no manager daemon: it serves statistics and balancing, which one OSD does not
need. Between the daemons there is no authentication; clients of the gateway need its keys.
"""

import http.client
import json
import os
import secrets
import signal
import time
import uuid

from bucket import Bucket
from daemons import LIMIT, Daemons, reservePort, requirePrograms
from devices import Failure

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


class Cluster(Daemons):
    """A cluster in a directory. `start` creates it there the first time, and starts what was stopped or has died otherwise."""

    def __init__(self, folder, endsWithParent=False, requests=1024):
        """`requests`: the number of requests at once above which the gateway returns 503."""
        super().__init__(folder, endsWithParent)
        self.requests, self.settings = requests, None

    # The life of a cluster

    def start(self):
        requirePrograms(PACKAGES, "s3")
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        if not os.path.exists(self.path("settings.json")):
            if os.listdir(self.folder):
                raise Failure(f"{self.folder} is not empty and has no cluster. Name another directory, or remove this one if a start was interrupted.")
            self.create()
        self.load()
        for name, command in self.daemons().items():
            if not self.process(name):
                self.launch(name, *command)
        self.awaitGateway()

    def load(self):
        with open(self.path("settings.json")) as file:
            self.settings = json.load(file)

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

    def frozen(self, name="gateway"):
        return super().frozen(name)

    def create(self):
        self.settings = {"identity": str(uuid.uuid4()), "monitor": reservePort(), "gateway": reservePort(), "access": secrets.token_hex(10).upper(),
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

    def responds(self):
        """Whether the gateway returns the object that the start put there."""
        try:
            return self.bucket().get("started").status == 200
        except (OSError, http.client.HTTPException):
            return False

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
        commands = {"monitor": ["ceph-mon", "-i", "a"], "objects": ["ceph-osd", "-i", "0"], "gateway": ["radosgw", "-n", "client.rgw"]}
        return {name: [*command, "-c", self.path("ceph.conf"), "-f"] for name, command in commands.items()}

    def command(self, *command):
        """Runs a program on this cluster."""
        try:
            self.run(command[0], *(["-c", self.path("ceph.conf")] if command[0] != "monmaptool" else []), *command[1:])
        except Failure as failure:
            raise Failure(f"{failure}{self.tail('objects')}") from failure
