"""A private PostgreSQL for tests: one database on loopback, all in one directory.

Its settings are those of Debian's package, so a commit is durable when it is acknowledged. The role `ubiquity` owns the database and
signs in with a password (SCRAM) over TCP; the superuser signs in over a socket in the directory, as the operating system's user only.
PostgreSQL refuses to run as root, so with root it runs as the user `postgres`, whom Debian's package creates.
"""

import glob
import json
import os
import secrets
import shutil
import signal
import time

from daemons import LIMIT, Daemons, find, reservePort, rightsOf
from devices import Failure

NAME = "ubiquity"
"""The name of the database and of the role that owns it."""


class Postgres(Daemons):
    """PostgreSQL in a directory. `start` creates it there the first time, and starts what was stopped or has died otherwise."""

    def __init__(self, folder, endsWithParent=False):
        super().__init__(folder, endsWithParent)
        self.user = "postgres" if os.geteuid() == 0 else None
        self.settings = None

    # The life of a database

    def start(self):
        self.programs()
        os.makedirs(self.folder, mode=0o711, exist_ok=True)
        if not os.path.exists(self.path("settings.json")):
            if os.listdir(self.folder):
                raise Failure(f"{self.folder} is not empty and has no database. Name another directory, or remove this one if a start was interrupted.")
            self.create()
        self.load()
        if not self.process("postgres"):
            self.startAgain()

    def load(self):
        with open(self.path("settings.json")) as file:
            self.settings = json.load(file)

    def stop(self, isTemporary=False):
        """Ends the server: in order (a fast shutdown), or at once if nothing of the database is needed any more."""
        self.end("postgres", signal.SIGKILL if isTemporary else signal.SIGINT, patience=60)

    def kill(self):
        """Kills the first process; those of connections notice that and end without a checkpoint."""
        self.end("postgres", signal.SIGKILL)

    def startAgain(self):
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            # After a kill it refuses to start until the last process of the former one has ended.
            if not self.process("postgres"):
                self.launch("postgres", self.program("postgres"), "-D", self.data, user=self.user)
            if self.accepts():
                return
            time.sleep(0.05)
        raise Failure(f"PostgreSQL does not accept connections: {self.tail('postgres')}")

    def create(self):
        settings = {"port": reservePort(), "password": secrets.token_hex(16)}
        os.mkdir(self.data, mode=0o700)
        if self.user:
            shutil.chown(self.data, self.user)
        self.asUser(self.program("initdb"), "-D", self.data, "--auth-local=peer", "--auth-host=scram-sha-256", "--encoding=UTF8", "--locale=C")
        lines = {"listen_addresses": "127.0.0.1", "port": settings["port"], "unix_socket_directories": self.data}
        with open(f"{self.data}/postgresql.conf", "a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in lines.items())
        statements = [f"CREATE ROLE {NAME} LOGIN PASSWORD '{settings['password']}'", f"CREATE DATABASE {NAME} OWNER {NAME}",
                      f"REVOKE ALL ON DATABASE {NAME} FROM PUBLIC"]
        # Without a server: one process that reads statements, each a line, and ends.
        self.asUser(self.program("postgres"), "--single", "-D", self.data, "postgres", input="\n".join(statements) + "\n")
        # Last, so that a directory with settings has a complete database.
        with open(os.open(self.path("settings.json"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(settings, file)

    # What clients need

    @property
    def port(self):
        return self.settings["port"]

    @property
    def url(self):
        return f"postgres://{NAME}:{self.settings['password']}@127.0.0.1:{self.port}/{NAME}"

    def accepts(self):
        """Whether it accepts connections now."""
        try:
            self.run(self.program("pg_isready"), "--quiet", "--host=127.0.0.1", f"--port={self.port}", "--timeout=5")
            return True
        except Failure:
            return False

    def query(self, statement):
        """Runs one statement as the superuser and returns its rows as text."""
        return self.asUser(self.program("psql"), "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", f"--host={self.data}", f"--port={self.port}",
                           f"--dbname={NAME}", f"--command={statement}").strip()

    # Programs

    @property
    def data(self):
        return self.path("data")

    def asUser(self, *command, **options):
        return self.run(*command, cwd=self.data, **rightsOf(self.user), **options)

    @staticmethod
    def programs():
        """The directory of PostgreSQL's programs; Debian keeps those of each version apart."""
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda path: int(path.split("/")[4]))
        path = found[-1] if found else find("initdb")
        if not path:
            raise Failure("not installed: postgresql. Run scripts/setup cluster.")
        return os.path.dirname(path)

    def program(self, name):
        return f"{self.programs()}/{name}"
