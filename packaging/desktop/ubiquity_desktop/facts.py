"""What the program of the desktop knows about a mount: values from the messages of its daemon, checked and bounded."""

from typing import NamedTuple, Optional, Tuple

from . import frames

# What is kept of a list, and of a text.
_MOST, _LONGEST = 100, 2_000
# More conflicts than a person looks through.
_MOST_CONFLICTS = 500


class Transfer(NamedTuple):
    path: str
    is_upload: bool
    completed: int
    total: int


class Trouble(NamedTuple):
    code: str
    # What happened, and what to do.
    text: str
    # Relative to the mount, absolute, or none.
    path: Optional[str]


class Conflict(NamedTuple):
    path: str
    # The names of the versions that lost.
    versions: Tuple[str, ...]

    @property
    def container(self):
        return self.path.partition("/")[0]


class Refusal(NamedTuple):
    program: str
    seconds: int


class Facts(NamedTuple):
    mount: str
    # Whether the daemon answers; if not, all that follows is unknown.
    is_reached: bool = False
    is_online: bool = False
    # Why it is not online, in the daemon's words: `takenOffline`, `full`, `refused`, `stopped`, `connecting`, `unreachable`. Older daemons
    # give none. Of a cloud that is online and accepts no changes: `full` or `refused`.
    reason: Optional[str] = None
    message: str = ""
    # False: this device is not signed in at its server.
    is_signed_in: Optional[bool] = None
    uploads: int = 0
    downloads: int = 0
    pending_items: int = 0
    pending_bytes: int = 0
    transfers: Tuple[Transfer, ...] = ()
    troubles: Tuple[Trouble, ...] = ()
    conflict_count: int = 0
    conflicts: Tuple[Conflict, ...] = ()
    refusals: Tuple[Refusal, ...] = ()
    # While the network is metered: what transfers do for which no person waits, `wait` or `continue`.
    metered: Optional[str] = None
    # What was recovered when the state was rebuilt, in words, and the folder by which the rebuild is recognised.
    rebuild: Optional[Tuple[str, str]] = None

    @property
    def is_busy(self):
        return self.uploads > 0 or self.downloads > 0 or self.pending_items > 0

    @property
    def is_held(self):
        """Whether everything that is left waits for a network that is not metered."""
        return self.is_busy and self.is_online and self.metered == "wait" and not self.transfers

    def absolute(self, path):
        if path is None:
            return self.mount
        return path if path.startswith("/") else f"{self.mount}/{path}"


def parse(mount, response, conflicts=()):
    """The facts in the response of `status`; nothing if it is none."""
    try:
        status = response["status"]["mount"]
        cloud, queue = _object(status["cloud"]), _object(status["queue"])
        return Facts(
            mount=mount, is_reached=True, is_online=cloud.get("state") == "online",
            reason=_optional_text(cloud.get("reason")), message=_text(cloud.get("message")),
            is_signed_in=cloud.get("isSignedIn") if isinstance(cloud.get("isSignedIn"), bool) else None,
            uploads=_count(queue.get("uploads")), downloads=_count(queue.get("downloads")),
            pending_items=_count(queue.get("pendingItems")), pending_bytes=_count(queue.get("pendingBytes")),
            transfers=_each(status.get("transfers"), _transfer), troubles=_each(status.get("errors"), _trouble),
            conflict_count=_count(status.get("conflicts")), conflicts=tuple(conflicts),
            refusals=_each(status.get("refusedPrograms"), _refusal), metered=_optional_text(status.get("metered")),
            rebuild=_rebuild(status.get("rebuild")))
    except (KeyError, TypeError, AttributeError):
        return None


def parse_conflicts(response):
    """The documents in the response of `conflicts`; nothing if it is none."""
    try:
        return _each(response["conflicts"]["conflicts"], _conflict, _MOST_CONFLICTS)
    except (KeyError, TypeError):
        return None


def _each(values, one, most=_MOST):
    found = []
    for value in values[:most] if isinstance(values, list) else []:
        try:
            result = one(value)
        except (KeyError, TypeError, AttributeError):
            continue
        if result is not None:
            found.append(result)
    return tuple(found)


def _transfer(value):
    path = frames.decode_path(value["path"])
    return path and Transfer(
        path, value["direction"] == "upload", _count(value["completedBytes"]), _count(value["totalBytes"]))


def _trouble(value):
    advice = _text(value.get("advice"))
    message = _text(value["message"])
    text = f"{sentence(message)} {advice}" if advice else sentence(message)
    return Trouble(_text(value["code"]), text, _optional_text(value.get("path")))


def _conflict(value):
    path = frames.decode_path(value["path"])
    versions = tuple(_text(side["version"]) for side in value["versions"][:_MOST])
    return Conflict(path, versions) if path and versions else None


def _refusal(value):
    program = _text(value["program"])
    return Refusal(program, _count(value["seconds"])) if program else None


def _rebuild(value):
    if not isinstance(value, dict) or not _text(value.get("summary")):
        return None
    return _text(value["summary"]), _text(value.get("aside"))


def _object(value):
    return value if isinstance(value, dict) else {}


def _count(value):
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _text(value):
    return value[:_LONGEST] if isinstance(value, str) else ""


def _optional_text(value):
    return _text(value) or None


def sentence(clause):
    """A clause as the daemon writes it (`the disk is full`) as a sentence."""
    clause = clause.strip().rstrip(".")
    return f"{clause[:1].upper()}{clause[1:]}." if clause else ""


def visible(text):
    """Text of others on one line, without characters that control a display or its direction."""
    return "".join(each if each.isprintable() else "?" for each in text)
