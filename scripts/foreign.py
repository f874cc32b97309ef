"""Checks that a client which does not belong to an account gets nothing of it from a server. For `namespaces`."""

import json
import os
import subprocess

from devices import Failure, run, say
from laboratory import within


class Client:
    """curl in a device's namespace, with or without a token."""

    def __init__(self, root, url, token=None):
        self.root, self.url = root, url
        self.heads = ["-H", "Ubiquity-Protocol: 1"] + (["-H", f"Authorization: Bearer {token}"] if token else [])

    def ask(self, path, *options):
        """Sends a request and returns the status and body of the response."""
        body = f"{self.root}/response"
        status = run(*within("B"), "curl", "-sS", "--max-time", "20", *self.heads, *options, "-o", body, "-w", "%{http_code}", self.url + path)
        with open(body, "rb") as file:
            return int(status), file.read()


def sign_in(root, server, account):
    asked = json.dumps({"code": server.code_of(account), "device": "foreign"})
    _, response = Client(root, server.url).ask("/v1/sign-in", "-d", asked)
    return Client(root, server.url, json.loads(response)["token"])


def chunk_of(server):
    """Returns the name of a chunk that the server keeps for the first account."""
    for folder, _, names in os.walk(f"{server.data}/chunks"):
        for name in names:
            return (os.path.basename(folder) + name.split("-")[0]).lower()
    raise Failure("the server keeps no chunk")


def try_foreign(root, server):
    chunk = chunk_of(server)
    stranger, anonymous = sign_in(root, server, "berta"), Client(root, server.url)
    names = f"{root}/names"
    with open(names, "wb") as file:
        file.write(b"\x01\x01" + bytes.fromhex(chunk))
    documents = "/v1/containers/CloudDocs"
    asked = {
        "the log": (f"{documents}/log?after=0&limit=10",),
        "a chunk": (f"{documents}/chunks/{chunk}",),
        "which chunks there are": (f"{documents}/missing", "--data-binary", f"@{names}"),
        "an append": (f"{documents}/log", "--data-binary", "entry"),
        "another container's log": ("/v1/containers/..%2F1/log?after=0&limit=10",),
    }
    for what, request in asked.items():
        expect(f"{what}, requested with a foreign token", stranger.ask(*request)[0], [404, 400])
        expect(f"{what}, requested without a token", anonymous.ask(*request)[0], [401])
    expect("containers, listed with a foreign token", stranger.ask("/v1/containers"), [(200, b'{"containers":[]}')])
    # A container of the same name is still empty, and its chunks are not those of the other account.
    stranger.ask("/v1/cloud", "-X", "PUT")
    stranger.ask(documents, "-X", "PUT")
    expect("a chunk, requested with a container of the same name", stranger.ask(*asked["a chunk"])[0], [404])
    expect("the log of that container", stranger.ask(*asked["the log"]), [(200, b"\x01\x01\x00")])
    expect("the chunks that it lacks", stranger.ask(*asked["which chunks there are"])[1].hex(), ["0101" + chunk])
    unknown = subprocess.run([*within("B"), "curl", "-sS", "--capath", "/nonexistent", "--cacert", "/dev/null", server.url + "/health"],
                             capture_output=True, check=False)
    if unknown.returncode not in (60, 77):
        raise Failure(f"a client that does not trust the authority got a response ({unknown.returncode})")
    say("requests of a foreign account, without a token, without trust", f"{2 * len(asked) + 5}, all got nothing")


def expect(what, found, allowed):
    if found not in allowed:
        raise Failure(f"{what}: {found}, not {' or '.join(map(str, allowed))}")
