"""What the extensions of file managers share: they ask the daemons of this user's mounts, and never wait for a response.

`loop`, `actions` and `clipboard` need GLib, as every file manager with extensions in Python has it; the rest needs Python 3.8 only.
docs/DESKTOP.md describes it.
"""
