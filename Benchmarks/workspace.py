"""The temporary directory of a run, and what has to be undone at its end."""

import contextlib
import os
import shutil
import tempfile


class Workspace:
    """A directory that is removed with everything that was started in it, the last started first."""

    def __init__(self, parent):
        os.makedirs(parent, exist_ok=True)
        self.path = tempfile.mkdtemp(prefix="bench-", dir=os.path.realpath(parent))
        self._undo = contextlib.ExitStack()
        self._undo.callback(self._remove)
        for name in ("home", "run"):
            self.make(name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._undo.close()

    def at_end(self, action, *arguments):
        """Registers `action` to run at the end, before actions that were registered earlier."""
        self._undo.callback(action, *arguments)

    def make(self, *names):
        path = os.path.join(self.path, *names)
        os.makedirs(path, mode=0o700, exist_ok=True)
        return path

    @property
    def environment(self):
        """An environment without the user's settings of git and without other daemons."""
        home = os.path.join(self.path, "home")
        return {
            "PATH": os.environ["PATH"], "HOME": home, "XDG_RUNTIME_DIR": os.path.join(self.path, "run"),
            "XDG_CONFIG_HOME": home + "/.config", "XDG_DATA_HOME": home + "/.local/share",
            "XDG_STATE_HOME": home + "/.local/state", "XDG_CACHE_HOME": home + "/.cache", "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "Bench", "GIT_AUTHOR_EMAIL": "bench@example.com",
            "GIT_COMMITTER_NAME": "Bench", "GIT_COMMITTER_EMAIL": "bench@example.com",
        }

    def _remove(self):
        # Files must not be deleted through a mount that could not be removed.
        with open("/proc/self/mountinfo", encoding="utf-8") as table:
            left = [line.split()[4] for line in table if line.split()[4].startswith(self.path + "/")]
        if left:
            print(f"bench: still mounted: {', '.join(left)}; {self.path} was left as it is")
            return
        shutil.rmtree(self.path, ignore_errors=True)
