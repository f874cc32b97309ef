"""Objects and calls on the session's bus. No method waits."""

import sys

from gi.repository import Gio, GLib

# How long another program may take for a call.
PATIENCE = 10_000
# Milliseconds before a call is repeated.
_PAUSES = (200, 1_000, 5_000)
_PROPERTIES = "org.freedesktop.DBus.Properties"


class Interface:
    """An interface of an object of ours. `methods` and `properties` are functions by name; they return values of the declared types."""

    def __init__(self, connection, path, xml, methods, properties):
        self._connection, self._path = connection, path
        self._methods, self._properties = methods, properties
        self.info = Gio.DBusNodeInfo.new_for_xml(f"<node>{xml}</node>").interfaces[0]
        self._number = connection.register_object(path, self.info, self._called, self._read, None)

    def emit(self, signal, *values):
        signature = "".join(argument.signature for argument in self.info.lookup_signal(signal).args or ())
        _emit(self._connection, self._path, self.info.name, signal, GLib.Variant(f"({signature})", values))

    def changed(self, names):
        """Sends the values of properties that are others now."""
        values = {name: self.value(name) for name in names}
        _emit(
            self._connection, self._path, _PROPERTIES, "PropertiesChanged",
            GLib.Variant("(sa{sv}as)", (self.info.name, values, [])))

    def value(self, name):
        return GLib.Variant(self.info.lookup_property(name).signature, self._properties[name]())

    def values(self):
        return {each.name: self.value(each.name) for each in self.info.properties or ()}

    def close(self):
        self._connection.unregister_object(self._number)

    def _read(self, _connection, _sender, _path, _interface, name):
        return self.value(name)

    def _called(self, _connection, _sender, _path, _interface, name, parameters, invocation):
        try:
            result = self._methods[name](*parameters.unpack())
            signature = "".join(argument.signature for argument in self.info.lookup_method(name).out_args or ())
            invocation.return_value(GLib.Variant(f"({signature})", result or ()) if signature else None)
        except (LookupError, TypeError, ValueError) as error:
            # Arguments of the right types that mean nothing, such as the number of a line that is gone.
            invocation.return_dbus_error("org.freedesktop.DBus.Error.InvalidArgs", f"{name}: {error}")


def _emit(connection, path, interface, signal, values):
    # The program is about to end with its session.
    if connection.is_closed():
        return
    try:
        connection.emit_signal(None, path, interface, signal, values)
    except GLib.Error as error:
        report(f"a signal was not sent: {error.message}")


def call(connection, name, path, interface, method, arguments, done=lambda result, problem: None):
    """Calls another program. `done` is called with what it returned, or with nothing and why it did not."""
    def finish(source, result):
        try:
            returned = source.call_finish(result)
        except GLib.Error as error:
            return done(None, Gio.DBusError.get_remote_error(error) or error.message)
        done(returned.unpack(), None)

    connection.call(name, path, interface, method, arguments, None, Gio.DBusCallFlags.NONE, PATIENCE, None, finish)


def insist(begin, done, is_wanted, pauses=_PAUSES):
    """Calls `begin` with the function for its result, and again after pauses while that is a problem and still wanted: a program may
    have its name on the bus before it has its objects.
    """
    def ended(result, problem):
        if not is_wanted():
            return
        if problem is None or not pauses:
            return done(result, problem)
        GLib.timeout_add(pauses[0], again)

    def again():
        if is_wanted():
            insist(begin, done, is_wanted, pauses[1:])
        return GLib.SOURCE_REMOVE

    begin(ended)


def report(text):
    print(f"ubiquity-desktop: {text}", file=sys.stderr, flush=True)
