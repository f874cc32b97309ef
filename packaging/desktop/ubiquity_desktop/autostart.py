"""Whether the program starts with the sessions of this user (https://specifications.freedesktop.org/autostart-spec)."""

import os

ENTRY = """[Desktop Entry]
Type=Application
Name=Ubiquity
Comment=Shows the state of your documents
Exec={program}
Icon={name}
Terminal=false
Hidden={hidden}
X-GNOME-Autostart-Delay=5
"""


def file(name):
    settings = os.environ.get("XDG_CONFIG_HOME", "")
    settings = settings if settings.startswith("/") else os.path.expanduser("~/.config")
    return f"{settings}/autostart/{name}.desktop"


def choose(is_on, name, program):
    """Writes the choice of this user, which goes before that of the system, and returns it in words. Raises OSError."""
    path = file(name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    # Quotes and what has a meaning within them (https://specifications.freedesktop.org/desktop-entry-spec).
    quoted = "".join(f"\\\\{each}" if each in '"`$\\' else each for each in program).replace("%", "%%")
    with open(path, "w", encoding="utf-8") as entry:
        entry.write(ENTRY.format(program=f'"{quoted}"', name=name, hidden="false" if is_on else "true"))
    return f"It starts with your sessions: {path}" if is_on else f"It does not start with your sessions: {path}"
