"""Shows each mount in the side bar of file managers, by the interfaces of libcloudproviders: org.freedesktop.CloudProviders.*"""

import hashlib

from gi.repository import Gio

from .bus import Interface

PATH = "/org/ubiquity_documents/CloudProviders"
_MANAGER = """<interface name="org.freedesktop.DBus.ObjectManager">
<method name="GetManagedObjects"><arg type="a{oa{sa{sv}}}" direction="out"/></method>
<signal name="InterfacesAdded"><arg type="o"/><arg type="a{sa{sv}}"/></signal>
<signal name="InterfacesRemoved"><arg type="o"/><arg type="as"/></signal>
</interface>"""
_PROVIDER = """<interface name="org.freedesktop.CloudProviders.Provider"><property name="Name" type="s" access="read"/></interface>"""
_ACCOUNT = """<interface name="org.freedesktop.CloudProviders.Account">
<property name="Name" type="s" access="read"/><property name="Path" type="s" access="read"/>
<property name="Icon" type="s" access="read"/><property name="Status" type="i" access="read"/>
<property name="StatusDetails" type="s" access="read"/>
</interface>"""


class CloudProviders:
    """Exports the accounts that `show` is called with. `chosen` is called with the words of an action of their menus."""

    def __init__(self, connection, chosen):
        self._connection, self._chosen = connection, chosen
        self._accounts = {}
        self._manager = Interface(connection, PATH, _MANAGER, {"GetManagedObjects": self._objects}, {})
        # The provider is an object of its own below the manager, as libcloudproviders exports it.
        self._provider = Interface(connection, f"{PATH}/Provider", _PROVIDER, {}, {"Name": lambda: "Ubiquity"})

    def show(self, accounts):
        accounts = {account.mount: account for account in accounts}
        for mount in [mount for mount in self._accounts if mount not in accounts]:
            exported = self._accounts.pop(mount)
            exported.close()
            self._manager.emit("InterfacesRemoved", exported.path, list(exported.interfaces()))
        for mount, account in accounts.items():
            if mount in self._accounts:
                self._accounts[mount].show(account)
            else:
                exported = self._accounts[mount] = _Account(self._connection, account, self._chosen)
                self._manager.emit("InterfacesAdded", exported.path, exported.interfaces())

    def close(self):
        self.show(())
        self._provider.close()
        self._manager.close()

    def _objects(self):
        found = {f"{PATH}/Provider": {self._provider.info.name: self._provider.values()}}
        for exported in self._accounts.values():
            found[exported.path] = exported.interfaces()
        return (found,)


class _Account:
    def __init__(self, connection, account, chosen):
        self._connection, self._account, self._chosen = connection, account, chosen
        # A path of letters and digits that stays the same for a mount.
        name = hashlib.sha256(account.mount.encode(errors="surrogateescape")).hexdigest()[:16]
        self.path = f"{PATH}/Account/{name}"
        self._interface = Interface(connection, self.path, _ACCOUNT, {}, {
            "Name": lambda: self._account.name, "Path": lambda: self._account.mount, "Icon": _icon,
            "Status": lambda: self._account.status, "StatusDetails": lambda: self._account.details,
        })
        self._menu, self._actions = Gio.Menu(), Gio.SimpleActionGroup()
        self._numbers = (
            connection.export_menu_model(self.path, self._menu), connection.export_action_group(self.path, self._actions))
        self._fill()

    def show(self, account):
        before, self._account = self._account, account
        names = [
            name for name, field in (("Name", "name"), ("Status", "status"), ("StatusDetails", "details"))
            if getattr(before, field) != getattr(account, field)
        ]
        if names:
            self._interface.changed(names)
        if before.menu != account.menu:
            self._fill()

    def interfaces(self):
        return {self._interface.info.name: self._interface.values()}

    def close(self):
        menu, actions = self._numbers
        self._connection.unexport_menu_model(menu)
        self._connection.unexport_action_group(actions)
        self._interface.close()

    def _fill(self):
        for name in self._actions.list_actions():
            self._actions.remove_action(name)
        self._menu.remove_all()
        self._add(self._menu, self._account.menu, "action")

    def _add(self, menu, entries, prefix):
        for index, entry in enumerate(entries):
            name = f"{prefix}{index}"
            label = entry.label.replace("_", "__")
            if entry.children:
                below = Gio.Menu()
                self._add(below, entry.children, name)
                menu.append_submenu(label, below)
            elif entry.action is not None:
                action = Gio.SimpleAction.new(name, None)
                action.connect("activate", lambda *_, words=entry.action: self._chosen(words))
                self._actions.add_action(action)
                menu.append(label, f"cloudprovider.{name}")


def _icon():
    return Gio.ThemedIcon.new("ubiquity-tray-symbolic").to_string()
