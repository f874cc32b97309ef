"""The commands that a file manager offers for documents. `ubiquity` decides and carries out; this is a table."""

from typing import NamedTuple, Tuple

# Documents whose bytes are in the cloud, so that they can be fetched again.
_UPLOADED = ("here", "pinned", "cloud")
_PRESENT = ("here", "pinned", "waiting", "uploading", "paused", "conflict", "failed", "cloud", "downloading")
NOT_DOCUMENTS = (None, "outside", "unknown", "error")


class Command(NamedTuple):
    name: str
    label: str
    tip: str
    # The program and its options, before the paths.
    words: Tuple[str, ...]
    # States of which one file at least has to have one.
    states: Tuple[str, ...]
    is_for_one: bool = False
    copies_link: bool = False


COMMANDS = (
    Command(
        "download", "Download", "Fetch the bytes of what is only in the cloud",
        ("ubiquity", "download", "--"), ("cloud", "failed", "folder")),
    Command(
        "evict", "Free Up Space", "Remove the bytes from this device; they stay in the cloud",
        ("ubiquity", "evict", "--"), ("here", "folder")),
    Command(
        "pin", "Keep on This Device", "Download, and keep up to date without being asked",
        ("ubiquity", "pin", "--"), ("here", "cloud", "downloading", "waiting", "uploading", "folder")),
    Command(
        "unpin", "Do Not Keep on This Device", "Allow the bytes to be removed when space is short",
        ("ubiquity", "unpin", "--"), ("pinned",)),
    Command(
        "versions", "Versions…", "Show and restore earlier versions",
        ("ubiquity-versions", "--"), _PRESENT, is_for_one=True),
    Command(
        "resolve", "Resolve…", "Choose between versions that two devices wrote",
        ("ubiquity-versions", "--"), ("conflict",), is_for_one=True),
    Command(
        "publish", "Copy Link", "Publish the document as it is now, and copy the link",
        ("ubiquity", "publish", "--timeout", "120", "--"), _UPLOADED, is_for_one=True, copies_link=True),
)


def commands(states):
    """The commands for files with these states; none if any of them is no item of a mount."""
    if not states or any(state in NOT_DOCUMENTS for state in states):
        return []
    return [
        command for command in COMMANDS
        if any(state in command.states for state in states) and (len(states) == 1 or not command.is_for_one)
    ]


def general(count):
    """The commands for files of a mount whose states are not known yet."""
    return [command for command in COMMANDS if command.name != "unpin" and (count == 1 or not command.is_for_one)]
