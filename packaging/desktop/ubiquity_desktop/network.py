"""Watches whether the network is metered, which NetworkManager knows. No method waits."""

from gi.repository import Gio, GLib

from . import bus

_NAME, _PATH, _PROPERTY = "org.freedesktop.NetworkManager", "/org/freedesktop/NetworkManager", "Metered"
_PROPERTIES = "org.freedesktop.DBus.Properties"
# NMMetered: 0 unknown, 1 yes, 2 no, 3 and 4 the same as guesses.
_METERED = (1, 3)


class Network:
    """`is_metered` is false where nothing is known: without a system bus, without NetworkManager, and after either has ended. `changed()`
    is called when it is another one.
    """

    def __init__(self, changed):
        self.is_metered = False
        self._changed, self._connection, self._numbers = changed, None, None
        # Of the program that has the name now: what an earlier one has sent means nothing.
        self._owner, self._is_closed = 0, False
        Gio.bus_get(Gio.BusType.SYSTEM, None, self._connected)

    def close(self):
        self._is_closed = True
        if self._numbers is not None:
            watch, signal = self._numbers
            self._numbers = None
            Gio.bus_unwatch_name(watch)
            self._connection.signal_unsubscribe(signal)

    def _connected(self, _, result):
        try:
            self._connection = Gio.bus_get_finish(result)
        except GLib.Error:
            # A session in a container, for example. Nothing is known then.
            return
        # This program ends with its session, not with the bus of the system.
        self._connection.set_exit_on_close(False)
        if self._is_closed:
            return
        self._connection.connect("closed", lambda *_: self._vanished())
        signal = self._connection.signal_subscribe(
            _NAME, _PROPERTIES, "PropertiesChanged", _PATH, _NAME, Gio.DBusSignalFlags.NONE, self._happened)
        watch = Gio.bus_watch_name_on_connection(
            self._connection, _NAME, Gio.BusNameWatcherFlags.NONE, lambda *_: self._appeared(), lambda *_: self._vanished())
        self._numbers = (watch, signal)

    def _appeared(self):
        self._owner += 1
        self._ask(self._owner)

    def _vanished(self):
        self._owner += 1
        self._learned(False)

    def _ask(self, owner):
        def begin(ended):
            bus.call(
                self._connection, _NAME, _PATH, _PROPERTIES, "Get", GLib.Variant("(ss)", (_NAME, _PROPERTY)), ended)

        def done(result, problem):
            # A NetworkManager before 1.2 has no such property.
            if problem is None:
                self._learned(result[0] in _METERED)

        bus.insist(begin, done, lambda: owner == self._owner and not self._is_closed)

    def _happened(self, _connection, _sender, _path, _interface, _signal, parameters):
        _, values, invalidated = parameters.unpack()
        if _PROPERTY in values:
            # What was asked before is older than this.
            self._owner += 1
            self._learned(values[_PROPERTY] in _METERED)
        elif _PROPERTY in invalidated:
            self._appeared()

    def _learned(self, is_metered):
        if is_metered != self.is_metered and not self._is_closed:
            self.is_metered = is_metered
            self._changed()
