"""A private nginx for tests: on loopback, in one directory, with the site that the package has as an example."""

import os
import re
import signal
import time
import urllib.error
import urllib.request

from daemons import LIMIT, Daemons, find
from devices import REPOSITORY, Failure

SITE = f"{REPOSITORY}/packaging/nginx/ubiquity.conf"
# One process, because those of a killed master would stay.
MAIN = """daemon off;
master_process off;
pid {folder}/nginx;
error_log {folder}/nginx.log warn;
worker_rlimit_nofile {descriptors};
events {{ worker_connections {connections}; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""
CONNECTIONS = 4096


class Nginx(Daemons):
    def __init__(self, folder, port, processes, endsWithParent=False):
        """`port`: on which it listens. `processes`: the ports of the server's processes."""
        super().__init__(folder, endsWithParent)
        self.port, self.processes = port, processes

    def start(self):
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        with open(self.path("nginx.conf"), "w") as file:
            file.write(MAIN.format(folder=self.folder, connections=CONNECTIONS, descriptors=2 * CONNECTIONS))
        with open(self.path("site.conf"), "w") as file:
            file.write(self.site())
        if not self.process("nginx"):
            self.launch("nginx", self.program(), "-p", self.folder, "-c", self.path("nginx.conf"))
        self.await_()

    def stop(self, isTemporary=False):
        self.end("nginx", signal.SIGKILL if isTemporary else signal.SIGTERM)

    def site(self):
        """Returns the example with the addresses of this cluster, and without TLS."""
        with open(SITE) as file:
            text = file.read()
        server = re.search(r"^ *server 127\.0\.0\.1:\d+(.*\n)", text, re.MULTILINE)
        text = re.sub(r"(^ *server 127\.0\.0\.1:\d+.*\n)+", "".join(f"    server 127.0.0.1:{port}{server[1]}" for port in self.processes), text,
                      flags=re.MULTILINE)
        text = re.sub(r"^ *(ssl_\w+|server_name) .*\n", "", text, flags=re.MULTILINE)
        return re.sub(r"(^ *listen .*\n)+", f"    listen 127.0.0.1:{self.port};\n", text, flags=re.MULTILINE)

    def await_(self):
        """Returns when it passes a request to the server."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            if not self.process("nginx"):
                raise Failure(f"nginx ended: {self.tail('nginx')}")
            if isHealthy(self.port):
                return
            time.sleep(0.05)
        raise Failure(f"nginx does not pass requests on: {self.tail('nginx')}")

    @staticmethod
    def program():
        path = find("nginx")
        if not path:
            raise Failure("not installed: nginx. Run scripts/setup cluster.")
        return path


def isHealthy(port, path="/health"):
    """Whether the server behind a port of loopback reports that it works."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as response:
            return response.status == 200
    except (OSError, urllib.error.URLError):
        return False
