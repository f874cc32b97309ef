"""A random history of three devices with real daemons and mounts on a cloud in a directory: see `scripts/histories`."""

import contextlib
import ctypes
import json
import os
import random
import signal
import subprocess
import threading
import time

from devices import PROGRAM, Device, Failure, run
from ledger import Ledger, content
from past import Past

HANG = 60
"""Seconds after which a call to a mount counts as a hang; the longest wait that is promised is 30."""
NAMES = ["a.txt", "b.txt", "c.md", "d"]
FOLDERS = ["", "x", "y", "x/z"]


class Watch:
    """Ends the program when a call to a mount does not return."""

    def __init__(self):
        self.what, self.since, self.limit = None, 0, HANG
        threading.Thread(target=self.look, daemon=True).start()

    def look(self):
        while True:
            time.sleep(1)
            if self.what and time.monotonic() - self.since > self.limit:
                print(f"HANG: {self.what} has not returned for {self.limit} s", flush=True)
                os._exit(2)

    @contextlib.contextmanager
    def over(self, what, limit=HANG):
        self.what, self.since, self.limit = what, time.monotonic(), limit
        try:
            yield
        finally:
            self.what = None


class Machine(Device):
    """A device with the operations that faults need."""

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        while os.path.exists(f"/proc/{self.pid}/task") and "Z" not in open(f"/proc/{self.pid}/stat").read().rsplit(")", 1)[1]:
            time.sleep(0.01)

    def sync(self):
        run(PROGRAM, "sync", self.mount, "--wait", "--timeout", "120", stderr=subprocess.STDOUT)

    def status(self):
        return json.loads(run(PROGRAM, "status", self.mount, "--json"))["mounts"][0]

    def path(self, name):
        return os.path.join(self.documents, name)

    def files(self):
        """The documents: as in `shown`, without the temporary files of interrupted saves."""
        found = []
        for folder, _, names in os.walk(self.documents, onerror=lambda error: (_ for _ in ()).throw(error)):
            found += [os.path.relpath(os.path.join(folder, name), self.documents) for name in names if not name.endswith(".tmp")]
        return sorted(found)

    def shown(self):
        """Everything that it shows: each file's mode and bytes, each folder; without the temporary files of interrupted saves."""
        shown = {}
        for folder, folders, names in os.walk(self.documents):
            for name in folders:
                shown[os.path.relpath(os.path.join(folder, name), self.documents) + "/"] = None
            for name in names:
                if name.endswith(".tmp"):
                    continue
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    shown[os.path.relpath(path, self.documents)] = (os.fstat(file.fileno()).st_mode, file.read())
        return shown


NO_REPLACE, EXCHANGE = 1, 2


def renameat2(one, two, flags):
    """renameat2(2), for which Python has no function."""
    if ctypes.CDLL(None, use_errno=True).renameat2(-100, os.fsencode(one), -100, os.fsencode(two), flags) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class History(Past):
    restores = False
    """Whether states of devices and of the cloud are copied and put back, and copies of devices are started."""

    def __init__(self, root, seed, watch):
        self.random, self.ledger, self.watch, self.story = random.Random(seed), Ledger(), watch, []
        self.long = [self.restore, self.putBackCloud]
        self.backups = {}
        self.root = root
        self.devices = [Machine(root, name) for name in "ABC"]
        self.isCloudAway, self.settled = False, 0
        self.inode = None

    def connect(self):
        """Runs before the devices start."""

    def disconnect(self):
        """Runs after the devices stopped."""

    def play(self):
        try:
            self.connect()
            for device in self.devices:
                device.start()
                # A device that has never seen the cloud would create another one while the cloud is away.
                device.sync()
            for _ in range(self.random.randrange(15, 50)):
                self.step()
            self.repair()
            self.compare()
        finally:
            self.bringBack()
            for device in self.devices:
                with contextlib.suppress(ProcessLookupError, TypeError):
                    os.kill(device.pid, signal.SIGCONT)
                device.stop()
            self.disconnect()

    # Users

    def step(self):
        device = self.random.choice(self.devices)
        acts = [self.write] * 8 + [self.save] * 8 + [self.delete] * 3 + [self.rename] * 4 + [self.moveFolder, self.sweep]
        acts += [self.copy] * 5 + [self.exchange, self.swapKind]
        faults = [self.pause] * 4 + [self.killIn] * 3 + [self.freeze, self.cloud, self.cloud, self.evict, self.evict]
        if self.restores:
            faults += [self.backUp] * 3 + [self.restore] * 4 + [self.clone] + [self.backUpCloud] * 3 + [self.putBackCloud] * 2
        act = self.random.choice(acts * 2 + faults)
        outcome = "done"
        try:
            with self.watch.over(f"{device.name}: {act.__name__}", limit=HANG if act not in self.long else 10 * HANG):
                outcome = act(device) or outcome
        except OSError as error:
            outcome = f"({error.strerror})"
        self.story.append(f"{device.name}: {act.__name__}: {outcome}")

    def write(self, device, name=None):
        """Writes in place, as editors that keep the inode do."""
        name, new = name or self.name(), self.ledger.new()
        self.folder(device, name)
        with open(device.path(name), "r+b" if os.path.lexists(device.path(name)) else "x+b", buffering=0) as file:
            old = self.read(file.fileno(), f"{device.name} {name}")
            self.noteVersion(device, name, old)
            with self.ledger.act(new, old):
                file.truncate(0)
                data = content(new)
                while data:
                    data = data[file.write(data):]
                file.close()
        return f"{name}: {new} over {old}"

    def save(self, device):
        """Saves by writing a temporary file and renaming it over the document."""
        name, new = self.name(), self.ledger.new()
        self.folder(device, name)
        path = device.path(name)
        with open(path + ".tmp", "wb") as file:
            file.write(content(new))
            if self.random.random() < 0.3:
                os.fsync(file.fileno())
        with self.replacing(device, name, new) as old:
            self.move(path + ".tmp", path)
        return f"{name}: {new} over {old}"

    def delete(self, device, name=None):
        name = name or self.existing(device)
        with self.replacing(device, name) as old:
            os.unlink(device.path(name))
        return f"{name}: {old}"

    def rename(self, device):
        name, target = self.existing(device), self.name()
        if name == target:
            return "nothing"
        self.folder(device, target)
        if "(conflict from" in name:
            # It becomes a document of its own, which stays if another device deletes the conflict meanwhile.
            self.ledger.copied |= self.held(device, name)
        with self.replacing(device, target) as old:
            self.move(device.path(name), device.path(target))
        return f"{name} to {target} over {old}"

    def move(self, source, target):
        """Replaces the file that the last look saw. If it saw none, one that another device has brought since is not replaced: no user has
        decided about it."""
        if self.inode is None:
            renameat2(source, target, NO_REPLACE)
        else:
            os.rename(source, target)

    def copy(self, device):
        """`cp`, mostly over another document; now and then the source is edited or deleted afterwards."""
        name = self.existing(device)
        target = self.existing(device) if self.random.random() < 0.6 else self.name()
        token = self.look(device, name)
        if name == target or token is None:
            return "nothing"
        self.folder(device, target)
        old, inode = self.look(device, target), self.inode
        self.ledger.copied.add(token)
        with self.ledger.act(token, old) as missed:
            with open(device.path(target), "wb") as file:
                file.write(content(token))
                missed += [inode] if os.fstat(file.fileno()).st_ino != inode else []
        outcome = f"{name} to {target}: {token} over {old}"
        act = self.random.choice([self.write, self.write, self.delete, None])
        if act:
            time.sleep(self.random.choice([0, 0.1, 0.4]))
            outcome += f"; {act.__name__} {act(device, name)}"
        return outcome

    def exchange(self, device):
        names = device.files()
        if len(names) < 2:
            return "nothing"
        one, two = self.random.sample(names, 2)
        # If one of the two is new, the document keeps its place and the content that it had becomes a document of its own. Another device may
        # have replaced that content.
        for name in (one, two):
            self.ledger.copied |= self.held(device, name)
        renameat2(device.path(one), device.path(two), EXCHANGE)
        return f"{one} and {two}"

    def held(self, device, name):
        """Returns the content of a document. Without the cloud it may be unreadable; then those that have its size."""
        with contextlib.suppress(OSError):
            return {self.look(device, name)} - {None}
        with contextlib.suppress(OSError):
            size = os.stat(device.path(name)).st_size
            return {token for token in self.ledger.written if len(content(token)) == size}
        return set()

    def swapKind(self, device):
        """Replaces a document by a folder."""
        name = self.existing(device)
        outcome = self.delete(device, name)
        os.mkdir(device.path(name))
        return f"{outcome}, a folder now"

    def moveFolder(self, device):
        folder, target = self.random.sample([name for name in FOLDERS if name], 2)
        os.rename(device.path(folder), device.path(target))
        return f"{folder} to {target}"

    def sweep(self, device):
        """`rm -r`, file by file."""
        folder = self.random.choice([name for name in FOLDERS if name])
        for name in [name for name in device.files() if name.startswith(folder + "/")]:
            with self.replacing(device, name):
                os.unlink(device.path(name))
        for below, _, _ in os.walk(device.path(folder), topdown=False):
            os.rmdir(below)
        return folder

    def name(self):
        return os.path.join(self.random.choice(FOLDERS), self.random.choice(NAMES))

    def existing(self, device):
        names = device.files()
        return self.random.choice(names) if names else "a.txt"

    def folder(self, device, name):
        os.makedirs(os.path.dirname(device.path(name)), exist_ok=True)

    @contextlib.contextmanager
    def replacing(self, device, name, new=None):
        """An operation that replaces the file of that name, whose content it receives, or removes it. The file may have got another name
        between the two, where that of another device kept this one: then it was not replaced."""
        old, inode = self.look(device, name), self.inode
        self.noteVersion(device, name, old)
        with self.ledger.act(new, old) as missed:
            yield old
            with os.scandir(os.path.dirname(device.path(name))) as entries:
                missed += [entry for entry in entries if entry.inode() == inode]

    def noteVersion(self, device, name, token):
        """Notes that a conflict version beside a document may have the content that the document still shows, because the newer one is being
        downloaded. Replacing the document leaves the version as it is."""
        if not token:
            return
        with contextlib.suppress(OSError), os.scandir(os.path.dirname(device.path(name))) as entries:
            if any("(conflict from" in entry.name and entry.stat().st_size == len(content(token)) for entry in entries):
                self.ledger.copied.add(token)

    def look(self, device, name):
        """Returns the token of the content that a name shows; None if there is no file."""
        self.inode = None
        try:
            descriptor = os.open(device.path(name), os.O_RDONLY)
        except FileNotFoundError:
            return None
        try:
            self.inode = os.fstat(descriptor).st_ino
            return self.read(descriptor, f"{device.name} {name}")
        finally:
            os.close(descriptor)

    def read(self, descriptor, where):
        data = b""
        while part := os.pread(descriptor, 1 << 20, len(data)):
            data += part
        return self.ledger.token(data, where)

    # Faults

    def pause(self, _):
        time.sleep(self.random.choice([0.05, 0.3, 1]))

    def killIn(self, device):
        """Kills the daemon during an operation of a program; the next daemon starts with a dead mount."""
        timer = threading.Timer(self.random.random() * 0.05, device.kill)
        timer.start()
        outcome = "idle"
        try:
            outcome = self.random.choice([self.write, self.save, self.rename])(device)
        except OSError as error:
            outcome = f"({error.strerror})"
        timer.join()
        device.start()
        return outcome

    def freeze(self, device):
        """Stops the daemon while the others go on, as when a laptop is closed."""
        os.kill(device.pid, signal.SIGSTOP)
        try:
            others = [other for other in self.devices if other is not device]
            for _ in range(3):
                with contextlib.suppress(OSError):
                    self.story.append(f"  meanwhile: {self.save(self.random.choice(others))}")
            time.sleep(0.5)
        finally:
            os.kill(device.pid, signal.SIGCONT)

    def cloud(self, _):
        if self.isCloudAway:
            return self.bringBack()
        os.rename(f"{self.root}/cloud", f"{self.root}/away")
        self.isCloudAway = True
        return "away"

    def bringBack(self):
        if self.isCloudAway:
            os.rename(f"{self.root}/away", f"{self.root}/cloud")
            self.isCloudAway = False
        return "back"

    def evict(self, device):
        name = self.existing(device)
        subprocess.run([PROGRAM, "evict", device.path(name)], capture_output=True, check=False)
        return name

    # The end

    def repair(self):
        self.bringBack()
        self.settled = -time.monotonic()
        for device in self.devices if self.restores else []:
            self.resetIfBehind(device)
        for _ in range(3):
            for device in self.devices:
                device.sync()

    def compare(self):
        limit = time.monotonic() + 60
        while True:
            with self.watch.over("reading all"):
                shown = [device.shown() for device in self.devices]
            if all(other == shown[0] for other in shown):
                break
            if time.monotonic() > limit:
                raise Failure("the devices show different things: " + "; ".join(
                    f"{device.name} {sorted(tree)}" for device, tree in zip(self.devices, shown)))
            time.sleep(0.2)
        self.settled += time.monotonic()
        documents = {name: entry[1] for name, entry in shown[0].items() if entry}
        there = {self.ledger.token(data, name) for name, data in documents.items()}
        lost = self.ledger.written - self.ledger.replaced - self.ledger.doubted - there
        back = (self.ledger.replaced & there) - self.ledger.doubted - self.ledger.copied
        if lost or back:
            raise Failure(f"lost: {sorted(lost)}, back: {sorted(back)}, there: {sorted(documents)}")
        for device in self.devices:
            run(PROGRAM, "check", device.mount, stderr=subprocess.STDOUT)
