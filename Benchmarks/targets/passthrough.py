"""libfuse's own example of a fast file system, passthrough_hp: what FUSE costs that does no work of its own."""

import hashlib
import os
import shlex
import subprocess
import tarfile
import time
import urllib.error
import urllib.request

from targets.target import Failure, Target, call

# Debian 12's source of libfuse, beside its packages in the archive that apt uses. Its package of examples lacks those in C++.
SOURCE = "fuse3_3.14.0.orig.tar.xz"
SHA256 = "96115b2a8ff34bd1e0c7b00c5dfd8297571d7e165042b94498c9a26356a9a70a"

# What its source expects on Linux. libfuse 3.14's own build does not define them for C++: hp then refuses to set times by a path, so tar(1)
# and cp(1) fail on it, and has no extended attributes.
FEATURES = ("-DHAVE_UTIMENSAT", "-DHAVE_POSIX_FALLOCATE", "-DHAVE_SETXATTR")


class Passthrough(Target):
    name = "hp"

    def __init__(self, workspace, repository):
        program = find(repository)
        source = workspace.make("hp", "source")
        self._mount = workspace.make("hp", "mount")
        workspace.at_end(self._stop)
        self._process = subprocess.Popen(
            [program, "--foreground", source, self._mount], env=workspace.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self._wait_for_mount()
        self.directory = os.path.join(self._mount, "work")
        os.mkdir(self.directory)

    def _wait_for_mount(self):
        for _ in range(100):
            if os.path.ismount(self._mount):
                return
            if self._process.poll() is not None:
                raise Failure(self._process.stderr.read().decode(errors="replace").strip())
            time.sleep(0.1)
        raise Failure("its mount did not appear within 10 seconds")

    def _stop(self):
        if os.path.ismount(self._mount):
            subprocess.run(["umount", "--lazy", self._mount], capture_output=True, check=False)
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()


def find(repository):
    """Returns the program, built from the library's source, which is kept for the next run."""
    folder = os.path.join(repository, ".build", "passthrough_hp")
    program = os.path.join(folder, "passthrough_hp")
    # Built again after a change of how it is built.
    if os.access(program, os.X_OK) and os.path.getmtime(program) >= os.path.getmtime(__file__):
        return program
    print("bench: building libfuse's passthrough_hp from Debian's source of libfuse 3.14")
    os.makedirs(folder, exist_ok=True)
    archive = download(folder)
    # Of the archive, only two files without a path of their own are used.
    with tarfile.open(archive) as files:
        for member in files.getmembers():
            name = os.path.basename(member.name)
            if member.isfile() and name in ("passthrough_hp.cc", "cxxopts.hpp"):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(files.extractfile(member).read())
    flags = shlex.split(call(["pkg-config", "--cflags", "--libs", "fuse3"], None))
    call(["g++", "-std=c++17", "-O2", "-pthread", *FEATURES, "-o", program + ".new", os.path.join(folder, "passthrough_hp.cc"), *flags], None)
    os.rename(program + ".new", program)
    return program


def address():
    """Returns the URL of the source in the archive from which apt installs the package."""
    package = call(["apt-get", "--print-uris", "download", "fuse3"], None).split()
    if not package:
        raise Failure("apt knows no archive with the package fuse3; run apt-get update")
    return package[0].strip("'").rpartition("/")[0] + "/" + SOURCE


def download(folder):
    """Returns the path of the archive, whose hash is checked."""
    url = address()
    try:
        with urllib.request.urlopen(url, timeout=60) as response:
            data = response.read(16 << 20)
    except (urllib.error.URLError, TimeoutError) as error:
        raise Failure(f"{url} cannot be downloaded: {error}") from error
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise Failure(f"{url} has another hash than expected")
    path = os.path.join(folder, "fuse3.tar.xz")
    with open(path, "wb") as file:
        file.write(data)
    return path
