"""A loop, a daemon and file managers for tests: without GLib and without windows. The daemon holds its responses back until a test
releases them.
"""

import heapq
import importlib.util
import itertools
import os
import queue
import selectors
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest

DESKTOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, DESKTOP)

from samples import conflict, status  # noqa: E402, F401  (for the tests)
from ubiquity_desktop import frames  # noqa: E402
from ubiquity_desktop.channel import Timing  # noqa: E402
from ubiquity_desktop.emblems import Emblems  # noqa: E402
from ubiquity_desktop.mounts import Mount  # noqa: E402

# A wait that takes so long has failed.
LIMIT = 20
FAST = Timing(gather=0.01, answer=LIMIT, silence=LIMIT, first_pause=0.01, longest_pause=0.02)


class SelectLoop:
    """The loop of a file manager, without GLib."""

    def __init__(self):
        self._selector, self._numbers = selectors.DefaultSelector(), itertools.count(1)
        self._watched, self._due, self._calls = {}, [], {}

    def readable(self, descriptor, call):
        return self._watch(descriptor, selectors.EVENT_READ, call)

    def writable(self, descriptor, call):
        return self._watch(descriptor, selectors.EVENT_WRITE, call)

    def _watch(self, descriptor, event, call):
        number = next(self._numbers)
        self._watched[number] = (descriptor, event, call)
        self._update(descriptor)
        return number

    def _update(self, descriptor):
        events = 0
        for watched, event, _ in self._watched.values():
            events |= event if watched == descriptor else 0
        if descriptor in self._selector.get_map():
            self._selector.unregister(descriptor)
        if events:
            self._selector.register(descriptor, events)

    def later(self, seconds, call):
        number = next(self._numbers)
        self._calls[number] = call
        heapq.heappush(self._due, (time.monotonic() + seconds, number))
        return number

    def cancel(self, number):
        if number in self._watched:
            self._update(self._watched.pop(number)[0])
        else:
            # One that is void already is a mistake, which GLib reports too.
            del self._calls[number]

    def run(self, seconds):
        """Waits for an event for so long, and calls what is due."""
        if self._due:
            seconds = max(0, min(seconds, self._due[0][0] - time.monotonic()))
        for key, events in self._selector.select(seconds):
            for descriptor, event, call in list(self._watched.values()):
                if descriptor == key.fd and event & events:
                    call()
        while self._due and self._due[0][0] <= time.monotonic():
            call = self._calls.pop(heapq.heappop(self._due)[1], None)
            if call is not None:
                call()

    def run_until(self, holds, limit=LIMIT):
        deadline = time.monotonic() + limit
        while not holds():
            if time.monotonic() > deadline:
                raise AssertionError("what was waited for did not happen")
            self.run(0.02)


class Daemon:
    """Accepts connections and responds to `hello`, `monitor`, `emblems` and what the program of the desktop sends."""

    def __init__(self, path, states):
        self.path, self.states = path, states
        # The paths of each `emblems` request.
        self.requests = queue.Queue()
        self.connected = queue.Queue()
        self.released = threading.Event()
        self.released.set()
        self.failure = None
        # What `status` and `conflicts` return, how often `status` was requested, and the other requests.
        self.status, self.conflicts, self.asked = status(), [], queue.Queue()
        self.calls = queue.Queue()
        self.respond = lambda paths: [self.states.get(path, "unknown") for path in paths]
        self._clients, self._lock = [], threading.Lock()
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        if os.path.exists(path):
            os.unlink(path)
        self._server.bind(path)
        self._server.listen(8)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            with self._lock:
                self._clients.append(client)
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        splitter = frames.Splitter()
        try:
            while True:
                data = client.recv(1 << 16)
                if not data:
                    return
                for message in splitter.add(data):
                    self._handle(client, message)
        except OSError:
            pass

    def _handle(self, client, message):
        (verb, body), = message["request"].items()
        if verb == "hello":
            version = {"major": 1, "minor": 9}
            hello = {"mount": "/m", "pid": 1, "state": "/s", "version": version}
            self.send({"id": message["id"], "response": {"hello": hello}}, client)
        elif verb == "monitor":
            self._monitor = message["id"]
            self.connected.put(True)
        elif verb == "status":
            self.asked.put(True)
            self.send({"id": message["id"], "response": {"status": {"mount": self.status, "items": [], "failures": []}}}, client)
        elif verb == "conflicts":
            self.send({"id": message["id"], "response": {"conflicts": {"conflicts": self.conflicts}}}, client)
        elif verb != "emblems":
            self.calls.put((verb, body))
            end = {"failure": {"code": self.failure, "message": "it is"}} if self.failure else {"response": {"done": {}}}
            self.send({"id": message["id"], **end}, client)
        else:
            paths = [frames.decode_path(path) for path in body["paths"]]
            self.requests.put(paths)
            self.released.wait(LIMIT)
            if self.failure:
                self.send({"id": message["id"], "failure": {"code": self.failure, "message": "it is"}}, client)
            else:
                self.send({"id": message["id"], "response": {"emblems": {"emblems": self.respond(paths)}}}, client)

    def send(self, message, client=None):
        with self._lock:
            for each in [client] if client else self._clients:
                try:
                    each.sendall(frames.encode(message))
                except OSError:
                    pass

    def send_raw(self, data):
        for client in self._clients:
            client.sendall(data)

    def happened(self, kind, **fields):
        time = "2026-11-21T14:03:12.500Z"
        self.send({"id": self._monitor, "event": {"happened": {"kind": kind, "time": time, **fields}}})

    def drop_clients(self):
        with self._lock:
            clients, self._clients = self._clients, []
        for client in clients:
            try:
                client.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            client.close()

    def close(self):
        # Wakes the thread that accepts; closing alone does not.
        try:
            self._server.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._server.close()
        self.drop_clients()


def oversized():
    return struct.pack(">I", frames.MAXIMUM + 1)


class DaemonTestCase(unittest.TestCase):
    """A mount `/m` that exists as a record and a socket only."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.daemon = self.start({})
        self.mounts = {"/m": Mount("/m", self.daemon.path, os.getpid())}
        self.changes = []
        self.loop = SelectLoop()
        self.emblems = Emblems(self.changes.append, self.loop, lambda: dict(self.mounts), FAST)
        self.addCleanup(lambda: self.emblems.close())

    def start(self, states):
        daemon = Daemon(f"{self.folder}/control.sock", states)
        self.addCleanup(daemon.close)
        return daemon

    def connect(self):
        """Runs the loop until the mount is known and its daemon answers."""
        self.emblems.state("/m")
        self.loop.run_until(lambda: not self.daemon.requests.empty())
        self.wait_for("/m", "unknown")
        self.drain()

    def drain(self):
        self.changes.clear()
        while not self.daemon.requests.empty():
            self.daemon.requests.get()

    def wait_for(self, path, state):
        self.loop.run_until(lambda: self.emblems.state(path) == state)

    def next_request(self):
        self.loop.run_until(lambda: not self.daemon.requests.empty())
        return self.daemon.requests.get()


class Widget:
    """Any object of a file manager: keeps what it was made with."""

    def __init__(self, **properties):
        self.properties, self.items, self.handlers = properties, [], {}

    def connect(self, signal, handler, *arguments):
        self.handlers[signal] = (handler, arguments)

    def activate(self):
        handler, arguments = self.handlers["activate"]
        handler(self, *arguments)

    def append_item(self, item):
        self.items.append(item)

    def add(self, child):
        self.items.append(child)

    def set_submenu(self, menu):
        self.items = menu.items

    set_menu = set_submenu

    def set_text(self, text):
        self.properties["label"] = text

    def show(self):
        pass


class File:
    """A file as a file manager shows it."""

    def __init__(self, path, scheme="file"):
        self.path, self.scheme = path, scheme
        self.emblems, self.attributes, self.invalidations = [], {}, queue.Queue()

    def get_uri_scheme(self):
        return self.scheme

    def get_location(self):
        return types.SimpleNamespace(get_path=lambda: self.path)

    def add_emblem(self, name):
        self.emblems.append(name)

    def add_string_attribute(self, name, text):
        self.attributes[name] = text

    def invalidate_extension_info(self):
        self.invalidations.put(True)

    def weak_ref(self):
        return lambda: self


def glib(loop):
    """The part of GLib that the extensions use, on a loop of the tests."""
    def watch(_, descriptor, condition, call):
        return loop.writable(descriptor, call) if condition == 4 else loop.readable(descriptor, call)

    return types.SimpleNamespace(
        IOCondition=types.SimpleNamespace(IN=1, OUT=4, HUP=0, ERR=0), PRIORITY_DEFAULT=0, SOURCE_REMOVE=False,
        SOURCE_CONTINUE=True, Error=GLibError, unix_fd_add_full=watch, source_remove=loop.cancel,
        timeout_add=lambda milliseconds, call: loop.later(milliseconds / 1_000, call))


class GLibError(Exception):
    @property
    def message(self):
        return str(self)


class Process:
    """A program that runs beside the loop, as Gio.Subprocess."""

    STDOUT_PIPE = STDERR_PIPE = 0

    @classmethod
    def new(cls, words, _):
        process = cls()
        try:
            process._started = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except OSError as error:
            raise GLibError(error.strerror) from error
        return process

    def communicate_async(self, _, __, finish):
        def look():
            if self._started.poll() is None:
                return self.loop.later(0.01, look)
            self._output = self._started.communicate()
            finish(self, None)

        self.loop.later(0, look)

    def communicate_finish(self, _):
        def bytes_of(data):
            return types.SimpleNamespace(get_data=lambda: data, get_size=lambda: len(data))

        return (True, *map(bytes_of, self._output))

    def get_if_exited(self):
        return self._started.returncode >= 0

    def get_exit_status(self):
        return self._started.returncode


def load(file_name, host, folder, loop):
    """Loads an extension as a file manager does, from the folder of that one, with modules of its own in place of `gi`'s."""
    place = f"{folder}/{host.lower()}-python/extensions"
    os.makedirs(place, exist_ok=True)
    with open(f"{DESKTOP}/{file_name}", encoding="utf-8") as source:
        text = source.read().replace("@LIBRARY@", DESKTOP)
    with open(f"{place}/ubiquity.py", "w", encoding="utf-8") as target:
        target.write(text)
    base = type("Base", (), {"__init__": lambda self: None})
    providers = {
        name: type(name, (), {})
        for name in ("InfoProvider", "ColumnProvider", "MenuProvider", "PropertyPageProvider")
    }
    widgets = {name: Widget for name in ("Column", "Menu", "MenuItem", "PropertyPage")}
    gi, repository = types.ModuleType("gi"), types.ModuleType("gi.repository")
    repository.GLib, repository.Gio = glib(loop), types.SimpleNamespace(Subprocess=Process, SubprocessFlags=Process)
    repository.GObject = types.SimpleNamespace(GObject=base)
    repository.Gtk = types.SimpleNamespace(Label=Widget)
    setattr(repository, host, types.SimpleNamespace(**providers, **widgets))
    Process.loop = loop
    gi.repository = repository
    # These use GLib as well, and are loaded again for each loop.
    own = [f"ubiquity_desktop.{name}" for name in ("loop", "actions", "clipboard")]
    saved = {name: sys.modules.get(name) for name in ("gi", "gi.repository", *own)}
    for name in own:
        sys.modules.pop(name, None)
    sys.modules.update({"gi": gi, "gi.repository": repository})
    try:
        spec = importlib.util.spec_from_file_location("ubiquity_extension", f"{place}/ubiquity.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        for name, old in saved.items():
            if old is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = old
    return module
