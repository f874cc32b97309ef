"""The load on a cluster whose parts are killed, beside the same load on one process with SQLite and files: see `scripts/server-load`."""

import os
import re
import shutil
import subprocess
import tempfile
import threading
import time

from clusters import ServerCluster
from devices import Failure
from loads import FAMILY, Load, codes, signIn

PROBE = 2
"""The devices of the probe: one writes through one process and the other reads through another, and vice versa."""


class Costs:
    """What the parts of a cluster use: processor time in seconds, and at most how much memory in MiB. A part may be restarted meanwhile."""

    def __init__(self, cluster):
        self.cluster, self.spent, self.peak, self.since = cluster, {}, {}, {}
        self.ended = threading.Event()
        for part in self.parts():
            self.since[part] = self.processor(part)
        threading.Thread(target=self.watch, daemon=True).start()

    def parts(self):
        return [*self.cluster.parts, "nginx"]

    def pids(self, part):
        """The processes of a part. PostgreSQL has one for each connection."""
        cluster = self.cluster
        if part == "postgres":
            first = cluster.postgres.process("postgres")
            children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(first or 0)], stdout=subprocess.PIPE, text=True, check=False).stdout
            return [first, *map(int, children.split())] if first else []
        if part == "bucket":
            return [pid for pid in map(cluster.bucket.process, cluster.bucket.daemons()) if pid]
        found = cluster.proxy.process("nginx") if part == "nginx" else cluster.process(part)
        return [found] if found else []

    def processor(self, part):
        """Processor time of the running processes, and of those children that have ended."""
        ticks = 0
        for number, pid in enumerate(self.pids(part)):
            try:
                with open(f"/proc/{pid}/stat") as stat:
                    fields = stat.read().rsplit(")", 1)[1].split()
            except OSError:
                continue  # A connection's process that has ended.
            ticks += sum(map(int, fields[11:15 if number == 0 else 13]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def memory(self, part):
        """Resident memory in MiB; of PostgreSQL's processes without what they share."""
        total = 0
        for pid in self.pids(part):
            with open(f"/proc/{pid}/status") as status:
                text = status.read()
            names = ["RssAnon"] if part == "postgres" else ["VmRSS"]
            total += sum(int(found[1]) for name in names if (found := re.search(rf"{name}:\s+(\d+)", text))) / 1024
        return total

    def watch(self):
        while not self.ended.wait(1):
            for part in self.parts():
                try:
                    self.peak[part] = max(self.peak.get(part, 0), self.memory(part))
                except OSError:
                    pass  # The part is being restarted.

    def restart(self, part, work):
        """Does the work, which kills and starts a part."""
        self.pause(part)
        work()
        # The killed processes took what they used since then with them; the new ones begin at nothing. The objects of a bucket run on.
        self.since[part] = self.processor(part) if part == "bucket" else 0

    def pause(self, part):
        self.spent[part] = self.spent.get(part, 0) + self.processor(part) - self.since[part]

    def finish(self):
        self.ended.set()
        for part in self.parts():
            self.pause(part)


class Round:
    """The load on one engine."""

    def __init__(self, processes, options):
        """With no processes given: one with SQLite."""
        self.isEmbedded, self.processes, self.options = processes is None, processes or 1, options
        self.folder = tempfile.mkdtemp(prefix="ubiquity-load-", dir="/var/tmp")
        self.cluster = ServerCluster(self.folder, self.processes, self.isEmbedded, endsWithParent=True)
        self.loads = []

    @property
    def name(self):
        processes = "one process" if self.processes == 1 else f"{self.processes} processes"
        return f"{processes}, {'SQLite and files' if self.isEmbedded else 'PostgreSQL and a bucket'}"

    def play(self):
        """Returns whether nothing was lost."""
        cluster = self.cluster
        try:
            cluster.start()
            tokens = signIn(cluster.port, codes(cluster.command, self.options.devices))
            probe = signIn(cluster.port, codes(cluster.command, PROBE, PROBE, "probe"))
            self.load(tokens, cluster.url, "--family", FAMILY, "--rate", self.options.rate, "--chunks", self.options.chunks)
            self.load(probe, *(f"http://127.0.0.1:{port}" for port in cluster.ports[:PROBE]), "--family", PROBE, "--rate", 4)
            costs, before = Costs(cluster), os.getloadavg()[0]
            print(f"{self.name}: {self.loads[0].first}, load average {before:.1f}", flush=True)
            self.fail(costs)
            (status, figures), (probed, latency) = [load.finish() for load in self.loads]
            costs.finish()
            self.report(figures, latency, costs)
            return status == 0 and probed == 0
        finally:
            for load in self.loads:
                load.stop()
            cluster.stop(isTemporary=True)
            shutil.rmtree(self.folder, ignore_errors=True)

    def load(self, tokens, *arguments):
        self.loads.append(Load(tokens, *arguments, "--seconds", self.options.seconds))

    def fail(self, costs):
        """Kills parts one after the other, spread over the time of the load, and starts each again."""
        victims = [] if self.options.calm else ["server-1"] if self.isEmbedded else ["server-1", "postgres", "bucket"]
        for part in victims:
            time.sleep(self.options.seconds / (len(victims) + 1))
            begun = time.monotonic()
            costs.restart(part, lambda: (self.cluster.kill(part), self.cluster.startAgain(part)))
            print(f"  kill -9 of {part}; it works again after {time.monotonic() - begun:.1f} s", flush=True)

    def report(self, figures, latency, costs):
        for line in figures.splitlines():
            print(f"  {line}")
        for line in latency.splitlines():
            if line.startswith(("seen by another", "acknowledged and not", "appended twice")):
                print(f"  two devices at {'one process' if self.processes == 1 else 'two processes'}: {line}")
        for part in costs.parts():
            print(f"  {part}: processor {costs.spent[part]:.0f} s, most memory {costs.peak.get(part, 0):.0f} MiB")
        acknowledged = re.search(r"changes acknowledged: (\d+)", figures)
        engine = sum(seconds for part, seconds in costs.spent.items() if part not in ("nginx", "bucket"))
        if acknowledged and engine:
            print(f"  changes for each second of processor time (server{'' if self.isEmbedded else ' and PostgreSQL'}): {int(acknowledged[1]) / engine:.0f}",
                  flush=True)


def play(options):
    """Plays the rounds of both engines in turn and returns the exit status. One process of each shows what the engines cost."""
    isWell = True
    for _ in range(options.rounds):
        for processes in dict.fromkeys([None, 1, options.processes]):
            try:
                isWell = Round(processes, options).play() and isWell
            except Failure as failure:
                print(f"FAILED: {failure}", flush=True)
                isWell = False
    return 0 if isWell else 1
