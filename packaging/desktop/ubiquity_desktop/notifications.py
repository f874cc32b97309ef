"""Shows alerts by the notification server of the desktop: org.freedesktop.Notifications."""

from gi.repository import Gio, GLib

from . import bus

NAME = "org.freedesktop.Notifications"
_PATH = "/org/freedesktop/Notifications"
# Alerts that wait for a server; the latest are kept.
_MOST = 20
# Nothing of ours is critical, which would be shown over films and presentations.
_NORMAL = 1


class Notifications:
    """`chosen` is called with the words of an action, `dismissed` with the key of an alert that is gone."""

    def __init__(self, connection, desktop_entry, chosen, dismissed):
        self._connection, self._entry = connection, desktop_entry
        self._chosen, self._dismissed = chosen, dismissed
        # Alerts by key: those without a server, those that are being shown, and the numbers of those that are shown.
        self._waiting, self._alerts, self._numbers = {}, {}, {}
        # The server, whether it has said what it can, and what that is.
        self._owner, self._is_ready, self._capabilities = None, False, ()
        self._watch = Gio.bus_watch_name_on_connection(
            connection, NAME, Gio.BusNameWatcherFlags.NONE, self._appeared, self._vanished)
        self._signals = [
            connection.signal_subscribe(
                NAME, NAME, signal, _PATH, None, Gio.DBusSignalFlags.NONE, self._signalled)
            for signal in ("ActionInvoked", "NotificationClosed")
        ]

    def show(self, alert):
        if self._is_ready:
            return self._notify(alert)
        self._waiting.pop(alert.key, None)
        self._waiting[alert.key] = alert
        while len(self._waiting) > _MOST:
            del self._waiting[next(iter(self._waiting))]
        # The bus starts a server if one is installed; `_appeared` follows.
        self._call("GetCapabilities", None, lambda *_: None)

    def _notify(self, alert):
        self._alerts[alert.key] = alert
        # Without a label: servers that show the default action, too, as a button would repeat the title in it.
        actions = ["default", ""] if alert.default is not None else []
        for index, (label, _) in enumerate(alert.buttons):
            actions += [str(index), label]
        hints = {"urgency": GLib.Variant("y", _NORMAL), "desktop-entry": GLib.Variant("s", self._entry)}
        text = GLib.markup_escape_text(alert.text) if "body-markup" in self._capabilities else alert.text
        self._call("Notify", GLib.Variant("(susssasa{sv}i)", (
            "Ubiquity", self._numbers.get(alert.key, 0), alert.icon, alert.title, text,
            actions if "actions" in self._capabilities else [], hints, 0 if alert.is_urgent else -1)),
            lambda result, problem: self._shown(alert, result, problem))

    def close_alert(self, key):
        self._waiting.pop(key, None)
        self._alerts.pop(key, None)
        number = self._numbers.pop(key, None)
        if number is not None:
            self._call("CloseNotification", GLib.Variant("(u)", (number,)), lambda *_: None)

    def close(self):
        Gio.bus_unwatch_name(self._watch)
        self._owner = None
        for number in self._signals:
            self._connection.signal_unsubscribe(number)
        for key in list(self._numbers):
            self.close_alert(key)

    def _call(self, method, arguments, done):
        bus.call(self._connection, NAME, _PATH, NAME, method, arguments, done)

    def _shown(self, alert, result, problem):
        if result is None:
            bus.report(f"a notification was not shown: {problem}")
        elif alert.key in self._alerts:
            self._numbers[alert.key] = result[0]
        else:
            # Its cause ended meanwhile.
            self._call("CloseNotification", GLib.Variant("(u)", (result[0],)), lambda *_: None)

    def _appeared(self, _connection, _name, owner):
        def learned(result, _problem):
            self._is_ready, self._capabilities = True, () if result is None else tuple(result[0])
            waiting, self._waiting = self._waiting, {}
            for alert in waiting.values():
                self._notify(alert)

        self._owner = owner
        bus.insist(
            lambda done: bus.call(self._connection, owner, _PATH, NAME, "GetCapabilities", None, done), learned,
            lambda: self._owner == owner)

    def _vanished(self, *_):
        self._is_ready, self._owner = False, None
        self._numbers.clear()
        self._alerts.clear()

    def _signalled(self, _connection, _sender, _path, _interface, signal, parameters):
        number, detail = parameters.unpack()
        key = next((key for key, each in self._numbers.items() if each == number), None)
        alert = self._alerts.get(key)
        if alert is None:
            return
        if signal == "ActionInvoked":
            action = alert.default if detail == "default" else None
            if detail.isdecimal() and int(detail) < len(alert.buttons):
                action = alert.buttons[int(detail)][1]
            if action is not None:
                self._chosen(action)
        else:
            del self._numbers[key]
            self._alerts.pop(key, None)
            self._dismissed(key)
