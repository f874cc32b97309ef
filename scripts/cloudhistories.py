"""Random histories of devices whose cloud is reached over a network that fails: see `scripts/histories`."""

import time

from devices import PROGRAM, Failure, run
from history import History
from network import FAULTS, Proxy, Server
from past import PastOfBucket, PastOfCluster, PastOfServer


class NetworkHistory(History):
    """A history in which each device has a network of its own to a cloud that is killed and stopped.

    A subclass sets `service`, which has a `port`, and defines `join`, `kill`, `startAgain` and `frozen`.
    """

    source = "127.0.0.1"
    """The address from which the devices reach the cloud."""

    def __init__(self, root, seed, watch):
        super().__init__(root, seed, watch)
        self.proxies = {}

    def connect(self):
        for device in self.devices:
            # Without TLS not every message is verified, so changed bytes are left to `scripts/reads`.
            proxy = self.proxies[device] = Proxy(self.service, self.random, self.source)
            self.join(device, f"http://127.0.0.1:{proxy.port}")

    def disconnect(self):
        for proxy in self.proxies.values():
            proxy.stop()

    def clone(self, device):
        known = len(self.devices)
        outcome = super().clone(device)
        # Both have one network, and one sign-in.
        for other in self.devices[known:]:
            self.proxies[other] = self.proxies[device]
        return outcome

    def cloud(self, device):
        return self.random.choice([self.network, self.network, self.restart, self.pauseService])(device)

    def network(self, device):
        proxy = self.proxies[device]
        proxy.set(None if proxy.fault else self.random.choice([fault for fault in FAULTS if fault != "flip"]))
        return f"the network of {device.name}: {proxy.fault or 'well'}"

    def restart(self, _):
        self.service.kill()
        time.sleep(self.random.choice([0, 0.3]))
        self.service.startAgain()
        return "the cloud was killed and is back"

    def pauseService(self, _):
        with self.service.frozen():
            time.sleep(self.random.choice([0.1, 1]))
        return "the cloud was stopped for a while"

    def bringBack(self):
        for proxy in self.proxies.values():
            proxy.set(None)


class ServerHistory(PastOfServer, NetworkHistory):
    """On a server of ours."""

    def __init__(self, root, seed, watch):
        super().__init__(root, seed, watch)
        self.service = Server(root)

    def connect(self):
        self.service.start()
        super().connect()

    def join(self, device, origin):
        device.cloud = origin
        run(PROGRAM, "login", device.cloud, "--code", self.service.code(), "--device", device.name)

    def disconnect(self):
        super().disconnect()
        self.service.stop()


class BucketHistory(PastOfBucket, NetworkHistory):
    """Of two or three devices, on a prefix of its own in the bucket of an engine that all histories share."""

    def __init__(self, root, seed, watch, gateway):
        super().__init__(root, seed, watch)
        self.service, self.prefix = gateway, f"history-{seed}"
        self.devices = self.devices[:self.random.choice([2, 3])]

    def join(self, device, origin):
        device.cloud = self.service.url(self.prefix, endpoint=origin)


class ClusterHistory(PastOfCluster, NetworkHistory):
    """On a cluster that all histories share, with an account of its own. Any part is killed, and users go on before it is started again."""

    def __init__(self, root, seed, watch, cluster):
        super().__init__(root, seed, watch)
        self.service, self.account, self.hasAccount, self.dead = cluster, f"history{seed}", False, None
        # The cluster limits the sign-ins of each address.
        self.source = f"127.0.{seed // 250 % 250 + 1}.{seed % 250 + 1}"

    def join(self, device, origin):
        device.cloud = origin
        run(PROGRAM, "login", device.cloud, "--code", self.service.code(self.account, not self.hasAccount), "--device", device.name)
        self.hasAccount = True

    def restart(self, _):
        if self.dead:
            return f"{self.startAgain()} was started again"
        self.dead = self.random.choice(self.service.parts)
        self.service.kill(self.dead)
        return f"{self.dead} was killed"

    def startAgain(self):
        part, self.dead = self.dead, None
        self.service.startAgain(part)
        return part

    def pauseService(self, _):
        part = self.random.choice([part for part in self.service.parts if part != self.dead])
        with self.service.frozen(part):
            time.sleep(self.random.choice([0.1, 1]))
        return f"{part} was stopped for a while"

    def bringBack(self):
        if self.dead:
            self.startAgain()
        super().bringBack()

    def compare(self):
        super().compare()
        for name, _, _, isWell in self.service.status():
            if not isWell:
                raise Failure(f"{name} of the cluster does not work any more, though nothing killed it")
