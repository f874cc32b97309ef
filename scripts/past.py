"""The past that comes back: states of devices, and states of the cloud. See `scripts/histories --restores`."""

import contextlib
import os
import shutil
import signal
import subprocess
import urllib.parse
import xml.etree.ElementTree

from devices import PROGRAM, Failure, run


def copyTree(source, target):
    """As a backup program does. Files may vanish meanwhile, and sockets are no documents."""
    subprocess.run(["cp", "-a", source, target], capture_output=True, check=False)


class Past:
    """The acts of a history in which states come back. It has `devices`, `random`, `ledger`, `root` and the acts of users."""

    backups = None
    """Copies of devices' states by their names."""
    hasCloudCopy = False

    # States of devices

    def backUp(self, device):
        """Copies the state of a device: stopped, killed, or while it runs. Edits that wait in it may come back as conflicts."""
        way = self.random.choice(["stopped", "killed", "running"])
        self.ledger.copied |= {token for name in device.files() for token in self.held(device, name)}
        if way == "stopped":
            device.stop()
        elif way == "killed":
            device.kill()
        target = f"{self.root}/{device.name}/backup"
        shutil.rmtree(target, ignore_errors=True)
        copyTree(device.state, target)
        if way != "running":
            device.start()
        self.backups[device.name] = target
        return way

    def restore(self, device):
        """Puts an earlier state back, after the device has sent what it has: what was not sent is lost by the person's own act."""
        backup = self.backups.get(device.name)
        if not backup or self.isCloudAway:
            return "nothing"
        self.bringBack()
        device.sync()
        device.stop()
        shutil.rmtree(device.state)
        copyTree(backup, device.state)
        device.start()
        return "an earlier state" + self.resetIfBehind(device)

    def clone(self, device):
        """Starts a second device on a copy of a state."""
        if len(self.devices) > 3 or self.isCloudAway:
            return "nothing"
        self.ledger.copied |= {token for name in device.files() for token in self.held(device, name)}
        other = type(device)(self.root, "D")
        other.cloud = device.cloud
        device.stop()
        copyTree(device.state, other.state)
        device.start()
        other.start()
        self.devices.append(other)
        return "started as D as well"

    # States of the cloud

    def copyCloud(self, target):
        """Copies the cloud, which a subclass keeps elsewhere, to a new directory. No device runs meanwhile."""
        copyTree(f"{self.root}/cloud", target)

    def replaceCloud(self, source):
        """Replaces the cloud by a copy: as another directory, or file by file."""
        if self.random.random() < 0.5:
            shutil.rmtree(f"{self.root}/cloud")
            copyTree(source, f"{self.root}/cloud")
        else:
            run("rsync", "-a", "--delete", f"{source}/", f"{self.root}/cloud/")

    @contextlib.contextmanager
    def still(self):
        """Stops all daemons for a moment."""
        for device in self.devices:
            os.kill(device.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for device in self.devices:
                os.kill(device.pid, signal.SIGCONT)

    def backUpCloud(self, _):
        if self.isCloudAway:
            return "nothing"
        copy = f"{self.root}/cloud-copy"
        shutil.rmtree(copy, ignore_errors=True)
        with self.still():
            self.copyCloud(copy)
        self.hasCloudCopy = True
        return "copied"

    def putBackCloud(self, _):
        """Puts back an earlier state of the cloud. Every device has all documents by then: bytes that only the cloud has would be lost with
        its state. Some users go on before the devices are reset, one after the other."""
        if not self.hasCloudCopy or self.isCloudAway:
            return "nothing"
        self.bringBack()
        for device in self.devices * 2:
            device.sync()
        for device in self.devices:
            run(PROGRAM, "download", device.documents, "--wait", stderr=subprocess.STDOUT)
        with self.still():
            self.replaceCloud(f"{self.root}/cloud-copy")
        self.ledger.copied |= self.ledger.written
        outcome = "an earlier state"
        for _ in range(self.random.randrange(4)):
            device = self.random.choice(self.devices)
            with contextlib.suppress(OSError):
                outcome += f"; {device.name}: {self.random.choice([self.write, self.save, self.delete])(device)}"
        for device in self.random.sample(self.devices, len(self.devices)):
            outcome += self.resetIfBehind(device)
        return outcome

    def resetIfBehind(self, device):
        """Does what the device says: rebuilds its state if the cloud went back behind what it has read."""
        subprocess.run([PROGRAM, "sync", device.mount, "--wait", "--timeout", "30"], capture_output=True, check=False)
        if not device.status().get("diverged"):
            return ""
        run(PROGRAM, "reset", device.mount, "--yes", stderr=subprocess.STDOUT)
        # Another daemon serves the mount now.
        device.pid = device.status()["pid"]
        self.ledger.copied |= self.ledger.written
        return f"; {device.name} is reset"


class PastOfServer(Past):
    """On a server, whose data directory is put back while it is stopped."""

    def copyCloud(self, target):
        self.service.kill()
        copyTree(self.service.data, target)
        self.service.startAgain()

    def replaceCloud(self, source):
        self.service.kill()
        shutil.rmtree(self.service.data)
        copyTree(source, self.service.data)
        self.service.startAgain()


class PastOfCluster(Past):
    """On a cluster, whose database is put back while it is stopped. The bucket keeps its objects."""

    @property
    def database(self):
        return self.service.postgres.data

    def copyCloud(self, target):
        self.bringBack()
        self.service.kill("postgres")
        copyTree(self.database, target)
        self.service.startAgain("postgres")

    def replaceCloud(self, source):
        self.bringBack()
        self.service.kill("postgres")
        shutil.rmtree(self.database)
        copyTree(source, self.database)
        self.service.startAgain("postgres")


class PastOfBucket(Past):
    """On a prefix of a bucket, whose objects are put back one by one."""

    def keys(self):
        token, found = None, []
        while True:
            query = {"list-type": "2", "prefix": f"{self.prefix}/"} | ({"continuation-token": token} if token else {})
            listing = self.service.bucket().request("GET", query=query)
            if listing.status != 200:
                raise Failure(f"the bucket cannot be listed: {listing.status}")
            root = xml.etree.ElementTree.fromstring(listing.body)
            space = root.tag[:root.tag.index("}") + 1] if root.tag.startswith("{") else ""
            found += [key.text for key in root.iter(f"{space}Key")]
            token = root.findtext(f"{space}NextContinuationToken")
            if not token:
                return found

    def copyCloud(self, target):
        os.makedirs(target)
        bucket = self.service.bucket()
        for key in self.keys():
            with open(f"{target}/{urllib.parse.quote(key, safe='')}", "wb") as file:
                file.write(bucket.get(key).body)

    def replaceCloud(self, source):
        bucket, copied = self.service.bucket(), os.listdir(source)
        for key in set(self.keys()) - {urllib.parse.unquote(name) for name in copied}:
            bucket.request("DELETE", key)
        for name in copied:
            with open(f"{source}/{name}", "rb") as file:
                bucket.put(urllib.parse.unquote(name), file.read())
