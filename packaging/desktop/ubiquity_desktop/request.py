"""One request to a daemon for programs that wait for the response on a thread of their own."""

import time

from . import frames
from .channel import connect
from .facts import sentence

# Seconds in which the daemon sends nothing, and for all together.
_SILENCE, _PATIENCE = 15, 600


class Refused(Exception):
    """The daemon did not do it; the text says why."""


def request(mount, verb, body, patience=_PATIENCE):
    """Returns the response. Raises `Refused`."""
    deadline = time.monotonic() + patience
    try:
        with connect(mount.socket) as connection:
            connection.settimeout(_SILENCE)
            connection.sendall(
                frames.encode({"id": 1, "request": {"hello": {"program": "ubiquity-versions", "version": {"major": 1, "minor": 9}}}})
                + frames.encode({"id": 2, "request": {verb: body}}))
            splitter = frames.Splitter()
            while time.monotonic() < deadline:
                data = connection.recv(1 << 18)
                if not data:
                    raise Refused("The daemon has ended.")
                for message in splitter.add(data):
                    if message.get("id") == 2 and "response" in message:
                        return message["response"]
                    if "failure" in message:
                        raise Refused(_text(message["failure"]))
    except TimeoutError:
        raise Refused("The daemon does not respond.") from None
    except (OSError, frames.ProtocolError) as error:
        raise Refused(f"The daemon cannot be reached: {error}") from error
    raise Refused("It took too long.")


def _text(failure):
    if not isinstance(failure, dict) or not isinstance(failure.get("message"), str):
        return "The daemon refuses."
    advice = failure.get("advice")
    return sentence(failure["message"]) + (f" {advice}" if isinstance(advice, str) else "")
