"""Programs that process many small files."""

import os

from workloads.names import each
from workloads.workload import Figure, Workload


class Untar(Workload):
    """unpack an archive of 5,000 files"""

    name = "untar"

    def figures(self, quick):
        files = count(quick)
        return [Figure("untar", f"untar {files:,} files", "ms", goal=0.12, rclone_goal=6)]

    def run(self, place):
        archive = packed(place)
        return {"untar": each([archive], lambda path: place.command("tar", "xf", path))}


class Copy(Workload):
    """copy a tree of 5,000 files from the disk, with their attributes"""

    name = "copy"

    def figures(self, quick):
        return [Figure("copy", f"cp -a of {count(quick):,} files", "ms")]

    def run(self, place):
        packed(place)
        return {"copy": each([unpacked(place)], lambda path: place.command("cp", "-a", path, "copy"))}


class Git(Workload):
    """git add and a warm git status in a repository of many files"""

    name = "git"

    def figures(self, quick):
        return [Figure("add", f"git add of {count(quick):,}", "ms", goal=0.3), Figure("status", "git status, warm", "ms", goal=0.5)]

    def run(self, place):
        place.command("git", "init", "-q")
        place.command("tar", "xf", packed(place))
        add = each(["."], lambda path: place.command("git", "add", path))
        place.target.settle()
        for _ in range(2):
            place.command("git", "status", "--porcelain")
        return {"add": add, "status": each(["--porcelain"], lambda option: place.command("git", "status", option))}


def count(quick):
    return 1000 if quick else 5000


def packed(place):
    """Returns the archive, which is made once: folders of 50 files of up to 8 KiB."""
    archive = os.path.join(place.workspace.path, "files.tar")
    if not os.path.exists(archive):
        source = unpacked(place)
        os.makedirs(source)
        for number in range(count(place.quick)):
            folder = os.path.join(source, f"folder {number // 50}")
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, f"file {number}"), "wb") as file:
                file.write(os.urandom(number * 37 % 8192))
        place.command("tar", "cf", archive, "-C", source, ".")
    return archive


def unpacked(place):
    """Returns the folder of the archive's files."""
    return os.path.join(place.workspace.path, "source")
