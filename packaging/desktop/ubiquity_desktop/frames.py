"""Frames of the control socket (docs/PROTOCOL.md): a length of 4 bytes, big-endian, then one JSON object."""

import base64
import json
import os
import struct

# The daemon ends a connection at a longer frame, and sends none.
MAXIMUM = 2 << 20


class ProtocolError(Exception):
    """The other side does not speak this protocol."""


def encode(message):
    payload = json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode()
    if len(payload) > MAXIMUM:
        raise ProtocolError(f"a message has {len(payload)} bytes")
    return struct.pack(">I", len(payload)) + payload


def encode_path(path):
    """The form of a path in messages: text, or base64 where its bytes are not UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return {"base64": base64.b64encode(os.fsencode(path)).decode()}
    return path


def decode_path(value):
    """Returns nothing for what is no path."""
    if isinstance(value, str):
        return value
    try:
        return os.fsdecode(base64.b64decode(value["base64"], validate=True))
    except (KeyError, TypeError, ValueError):
        return None


class Splitter:
    """Splits a stream of bytes into messages. Keeps at most one frame beyond the bytes that were added last."""

    def __init__(self):
        self._bytes = bytearray()

    def add(self, data):
        """Returns the messages that are complete now."""
        self._bytes += data
        messages = []
        while len(self._bytes) >= 4:
            (length,) = struct.unpack_from(">I", self._bytes)
            if length > MAXIMUM:
                raise ProtocolError(f"a frame of {length} bytes was announced")
            if len(self._bytes) < 4 + length:
                break
            try:
                message = json.loads(self._bytes[4:4 + length])
            except (ValueError, RecursionError) as error:
                raise ProtocolError(f"a frame is no JSON: {error}") from error
            del self._bytes[:4 + length]
            if not isinstance(message, dict):
                raise ProtocolError("a frame is no object")
            messages.append(message)
        return messages
