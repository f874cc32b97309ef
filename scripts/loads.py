"""Devices that load a server: their accounts and tokens, and the program `server-load`, which plays them."""

import http.client
import json
import os
import re
import subprocess
import time

from devices import PROGRAM, Failure

LOAD = os.path.join(os.path.dirname(PROGRAM), "server-load")
FAMILY = 4
"""Devices of each account."""


def codes(command, devices, family=FAMILY, name="load"):
    """Makes accounts and returns a sign-in code for each device. `command` runs a command of the server's owner."""
    found = []
    for account in range((devices + family - 1) // family):
        texts = [command("account", "add", f"{name}{account}")]
        texts += [command("account", "code", f"{name}{account}") for _ in range(family - 1)]
        found += [re.search(r"(?:[0-9A-Z]{4}-){3}[0-9A-Z]{4}", text)[0] for text in texts]
    return found[:devices]


def signIn(port, codes):
    """Signs devices in and returns their tokens."""
    return [_signIn(port, number, code) for number, code in enumerate(codes)]


def _signIn(port, number, code):
    """Signs in from an address of its own, because a server limits the tries from each address."""
    source = (f"127.0.{1 + number // 200}.{1 + number % 200}", 0)
    for _ in range(30):
        connection = http.client.HTTPConnection("127.0.0.1", port, source_address=source, timeout=30)
        connection.request("POST", "/v1/sign-in", json.dumps({"code": code, "device": "load"}), {"Ubiquity-Protocol": "1"})
        response = json.load(connection.getresponse())
        if response.get("code") != "busy":
            break
        time.sleep(2)
    if "token" not in response:
        raise Failure(f"device {number} cannot sign in: {response}")
    return response["token"]


class Load:
    """The program `server-load` while it runs. It prints a first line when all devices are connected, and its figures at the end."""

    def __init__(self, tokens, *arguments):
        self.process = subprocess.Popen([LOAD, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write("\n".join(tokens) + "\n")
        self.process.stdin.close()
        self.first = self.process.stdout.readline().strip()

    def finish(self):
        """Waits for its end; returns its exit status and its figures."""
        figures = self.process.stdout.read()
        return self.process.wait(), figures

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
