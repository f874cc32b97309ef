"""A private cluster of ubiquity-server for tests: PostgreSQL, a bucket of radosgw, server processes and nginx before them, all on loopback
and in one directory.

docs/CLUSTER.md describes the same for real machines; the site of nginx is the one of the package.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import time

from daemons import LIMIT, Daemons, reservePort
from devices import PROGRAM, Failure
from nginx import Nginx, isHealthy
from postgres import Postgres
from radosgw import Cluster as Radosgw

SERVER = os.path.join(os.path.dirname(PROGRAM), "ubiquity-server")


class ServerCluster(Daemons):
    """A cluster in a directory. `start` creates it there the first time, and starts what was stopped or has died otherwise.

    With `isEmbedded` it is one process with SQLite and files behind the same nginx, for comparison.
    """

    def __init__(self, folder, processes=3, isEmbedded=False, endsWithParent=False):
        super().__init__(folder, endsWithParent)
        self.postgres = Postgres(self.path("database"), endsWithParent)
        self.bucket = Radosgw(self.path("bucket"), endsWithParent)
        self.isEmbedded, self.settings = isEmbedded, None
        self.wanted = 1 if isEmbedded else processes

    # The life of a cluster

    def start(self):
        if not os.access(SERVER, os.X_OK):
            raise Failure(f"{SERVER} is not built. Run: swift build -c release --product ubiquity-server")
        # Other users may pass through: PostgreSQL runs as a user of its own.
        os.makedirs(self.folder, exist_ok=True)
        os.chmod(self.folder, 0o711)
        if not os.path.exists(self.path("settings.json")):
            if os.listdir(self.folder):
                raise Failure(f"{self.folder} is not empty and has no cluster. Name another directory, or remove this one if a start was interrupted.")
            with open(os.open(self.path("settings.json"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                json.dump({"port": reservePort(), "processes": [reservePort() for _ in range(self.wanted)]}, file)
        self.load()
        if not self.isEmbedded:
            self.postgres.start()
            self.bucket.start()
            self.configure()
        for number in self.numbers:
            self.startProcess(number)
        self.proxy.start()

    def load(self):
        """Reads how the cluster was made; raises a `Failure` if there is none in the directory."""
        try:
            with open(self.path("settings.json")) as file:
                self.settings = json.load(file)
        except OSError as error:
            raise Failure(f"there is no cluster in {self.folder}: {error.strerror}. Make one with: scripts/cluster start {self.folder}") from error
        for part in [self.postgres, self.bucket]:
            if os.path.exists(part.path("settings.json")):
                part.load()
        self.proxy = Nginx(self.path("nginx"), self.port, self.ports, self.endsWithParent)

    def stop(self, isTemporary=False):
        """Ends everything, from the outside to the inside: in order, or at once if nothing of the cluster is needed any more."""
        if not self.settings:
            with contextlib.suppress(Failure):
                self.load()
        if self.settings:
            self.proxy.stop(isTemporary)
            for number in self.numbers:
                # The server finishes the requests that it has accepted, for at most 30 seconds.
                self.end(f"server-{number}", signal.SIGKILL if isTemporary else signal.SIGTERM, patience=40)
        self.bucket.stop(isTemporary)
        self.postgres.stop(isTemporary)

    def configure(self):
        """Writes the settings that the processes and the owner's commands share."""
        lines = {"database": self.postgres.url, "chunks": self.bucket.url("server"), "cache": self.path("cache"), "trusted-proxy": "127.0.0.1"}
        with open(os.open(self.path("server.conf"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.writelines(f"{key} = {value}\n" for key, value in lines.items())

    def startProcess(self, number):
        """Starts a server process if it does not run, and returns when it is ready for requests."""
        name, port = f"server-{number}", self.ports[number - 1]
        address = ["--listen", f"127.0.0.1:{port}", "--log-level", "warning"]
        if not self.process(name):
            if self.isEmbedded:
                command = ["serve", "--data", self.path("server"), "--trusted-proxy", "127.0.0.1"]
            else:
                command = ["serve", "--settings", self.path("server.conf"), "--cache", self.path(f"cache-{number}")]
                if number == 1:
                    # Devices then use both ways to download, because nginx distributes their requests.
                    command.append("--direct-downloads")
            self.launch(name, SERVER, *command, *address, env=self.environment)
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            if isHealthy(port, self.readiness):
                return
            if not self.process(name):
                raise Failure(f"server process {number} ended: {self.tail(name)}")
            time.sleep(0.05)
        raise Failure(f"server process {number} is not ready: {self.tail(name)}")

    # Faults, of a part by its name: postgres, bucket, server-1 and so on

    @property
    def parts(self):
        """The names of the parts that can be killed."""
        return [*([] if self.isEmbedded else ["postgres", "bucket"]), *(f"server-{number}" for number in self.numbers)]

    def kill(self, part):
        """Kills a part with SIGKILL. `part`: one of `parts`."""
        if part == "postgres":
            self.postgres.kill()
        elif part == "bucket":
            self.bucket.kill()
        else:
            self.end(part, signal.SIGKILL)

    def startAgain(self, part):
        """Starts a killed part, and returns when it is ready."""
        if part == "postgres":
            self.postgres.startAgain()
        elif part == "bucket":
            self.bucket.startAgain()
        else:
            self.startProcess(int(part.removeprefix("server-")))

    def frozen(self, part):
        """Stops a part for as long as the context lasts."""
        if part in ("postgres", "bucket"):
            return self.postgres.frozen("postgres") if part == "postgres" else self.bucket.frozen()
        return super().frozen(part)

    # What clients need

    @property
    def port(self):
        return self.settings["port"]

    @property
    def ports(self):
        """The ports of the server processes."""
        return self.settings["processes"]

    @property
    def numbers(self):
        return range(1, len(self.ports) + 1)

    @property
    def readiness(self):
        return "/health" if self.isEmbedded else "/health/ready"

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def place(self):
        """The options with which the owner's commands find the cluster."""
        return ["--data", self.path("server")] if self.isEmbedded else ["--settings", self.path("server.conf")]

    @property
    def environment(self):
        return os.environ if self.isEmbedded else os.environ | self.bucket.keys()

    def command(self, *arguments):
        """Runs a command of the owner and returns what it printed."""
        return self.run(SERVER, *arguments, *self.place, env=self.environment)

    def code(self, account, isNew):
        """Returns a sign-in code for one more device of an account, which is added if it is new."""
        output = self.command("account", "add" if isNew else "code", account)
        return re.search(r"\b(?:[A-Z0-9]{4}-){3}[A-Z0-9]{4}\b", output)[0]

    def status(self):
        """Returns the parts: name, pid or None, address, and whether it works."""
        found = []
        if not self.isEmbedded:
            found.append(("postgres", self.postgres.process("postgres"), self.postgres.port, self.postgres.accepts()))
            found += [(f"bucket: {name}", self.bucket.process(name), port, bool(self.bucket.process(name)) and works)
                      for name, port, works in [("monitor", self.bucket.settings["monitor"], True), ("objects", None, True),
                                                ("gateway", self.bucket.port, self.bucket.responds())]]
        found += [(f"server-{number}", self.process(f"server-{number}"), port, isHealthy(port, self.readiness))
                  for number, port in zip(self.numbers, self.ports)]
        return found + [("nginx", self.proxy.process("nginx"), self.port, isHealthy(self.port))]

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)
