"""What a person sees of a state: a text for a column, and an icon."""

import html

# States without an icon are an ordinary folder's, and those of which nothing is known.
TEXTS = {
    "cloud": "In the cloud",
    "here": "On this device",
    "pinned": "Kept on this device",
    "downloading": "Downloading",
    "uploading": "Uploading",
    "waiting": "Waiting to be uploaded",
    "paused": "Sync is paused",
    "conflict": "In conflict",
    "failed": "Not synced: failed",
    "excluded": "On this device only",
    "error": "Damaged",
}


def text(state):
    return TEXTS.get(state, "")


def emblem(state):
    """The name of an icon without `emblem-`, which file managers add; nothing for a state without one."""
    if state == "error":
        return "ubiquity-failed"
    return f"ubiquity-{state}" if state in TEXTS else None


def markup(words):
    """The same words as the body of a notification, where `<` and `&` begin markup (Desktop Notifications Specification, 4)."""
    return html.escape(words, quote=False)
