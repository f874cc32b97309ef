"""The item of the status area: org.kde.StatusNotifierItem, as KDE, Xfce, MATE, Cinnamon and extensions of GNOME show it."""

from gi.repository import Gio, GLib

from . import bus, menus

PATH = "/StatusNotifierItem"
WATCHER = "org.kde.StatusNotifierWatcher"
_XML = """<interface name="org.kde.StatusNotifierItem">
<property name="Category" type="s" access="read"/><property name="Id" type="s" access="read"/>
<property name="Title" type="s" access="read"/><property name="Status" type="s" access="read"/>
<property name="WindowId" type="i" access="read"/><property name="IconThemePath" type="s" access="read"/>
<property name="IconName" type="s" access="read"/><property name="IconPixmap" type="a(iiay)" access="read"/>
<property name="OverlayIconName" type="s" access="read"/><property name="OverlayIconPixmap" type="a(iiay)" access="read"/>
<property name="AttentionIconName" type="s" access="read"/><property name="AttentionIconPixmap" type="a(iiay)" access="read"/>
<property name="AttentionMovieName" type="s" access="read"/><property name="ToolTip" type="(sa(iiay)ss)" access="read"/>
<property name="ItemIsMenu" type="b" access="read"/><property name="Menu" type="o" access="read"/>
<method name="ContextMenu"><arg type="i" direction="in"/><arg type="i" direction="in"/></method>
<method name="Activate"><arg type="i" direction="in"/><arg type="i" direction="in"/></method>
<method name="SecondaryActivate"><arg type="i" direction="in"/><arg type="i" direction="in"/></method>
<method name="Scroll"><arg type="i" direction="in"/><arg type="s" direction="in"/></method>
<signal name="NewTitle"/><signal name="NewIcon"/><signal name="NewAttentionIcon"/><signal name="NewOverlayIcon"/>
<signal name="NewToolTip"/><signal name="NewStatus"><arg type="s"/></signal>
</interface>"""


class StatusItem:
    """Shows a `Tray` wherever there is a host for it, now or later."""

    def __init__(self, connection, tray, chosen, opening):
        self._connection, self._tray, self._chosen = connection, tray, chosen
        self.menu = menus.Menu(connection, chosen, opening)
        self.menu.show(tray.menu)
        nothing = list
        self._interface = bus.Interface(connection, PATH, _XML, {
            "ContextMenu": lambda *_: None, "SecondaryActivate": lambda *_: None, "Scroll": lambda *_: None,
            "Activate": self._activate,
        }, {
            "Category": lambda: "ApplicationStatus", "Id": lambda: "ubiquity", "Title": lambda: self._tray.title,
            "Status": lambda: self._tray.status, "WindowId": lambda: 0, "IconThemePath": str,
            "IconName": self._icon, "IconPixmap": nothing, "OverlayIconName": str, "OverlayIconPixmap": nothing,
            "AttentionIconName": self._icon, "AttentionIconPixmap": nothing, "AttentionMovieName": str,
            "ToolTip": lambda: (self._icon(), [], self._tray.title, self._tray.text), "ItemIsMenu": lambda: False,
            "Menu": lambda: menus.PATH,
        })
        self._owner = None
        # The host may start after this program, and again.
        self._watch = Gio.bus_watch_name_on_connection(
            connection, WATCHER, Gio.BusNameWatcherFlags.NONE, self._appeared, self._vanished)

    def show(self, tray):
        before, self._tray = self._tray, tray
        self.menu.show(tray.menu)
        if before.icon != tray.icon:
            self._interface.emit("NewIcon")
            self._interface.emit("NewAttentionIcon")
        if (before.icon, before.title, before.text) != (tray.icon, tray.title, tray.text):
            self._interface.emit("NewToolTip")
        if before.status != tray.status:
            self._interface.emit("NewStatus", tray.status)

    def close(self):
        Gio.bus_unwatch_name(self._watch)
        self._owner = None
        self._interface.close()
        self.menu.close()

    def _icon(self):
        return f"{self._tray.icon}-symbolic"

    def _activate(self, *_):
        if self._tray.action is not None:
            self._chosen(self._tray.action)

    def _appeared(self, connection, _name, owner):
        def register(done):
            # To the owner, so that a host that ends at this moment is not started again.
            bus.call(
                connection, owner, "/StatusNotifierWatcher", WATCHER, "RegisterStatusNotifierItem",
                GLib.Variant("(s)", (connection.get_unique_name(),)), done)

        def ended(_, problem):
            if problem is not None:
                bus.report(f"the status area refuses the item: {problem}")

        self._owner = owner
        bus.insist(register, ended, lambda: self._owner == owner)

    def _vanished(self, *_):
        self._owner = None
