"""The program `ubiquity-desktop`: joins the daemons of this user's mounts with the status area, notifications and file managers."""

import os
import time

from gi.repository import Gio, GLib

from . import actions, bus, emptying, memory, mounts, tray
from .cloudproviders import CloudProviders
from .follower import Follower
from .loop import Loop
from .alerts import Alert, Alerts
from .network import Network
from .notifications import Notifications
from .statusitem import StatusItem
from .thumbnails import Thumbnails, Worker

# Of the program, on the bus and in the menus of desktops.
ID = "org.ubiquity_documents.Desktop"
PATH = "/org/ubiquity_documents/Desktop"
_APPLICATION = """<interface name="org.freedesktop.Application">
<method name="Activate"><arg type="a{sv}" direction="in"/></method>
<method name="Open"><arg type="as" direction="in"/><arg type="a{sv}" direction="in"/></method>
<method name="ActivateAction"><arg type="s" direction="in"/><arg type="av" direction="in"/><arg type="a{sv}" direction="in"/></method>
</interface>"""
# Seconds: how often the list of mounts is read, and how long facts are gathered before anything is shown.
_MOUNTS, _GATHER = 5, 0.1
# What is remembered is stored when there is something new, and so often because of its times.
_STORE = 1_800
_NOT_EMPTIED = "Recently Deleted cannot be emptied"


class Desktop:
    """Runs from its creation until `close`; `quit_program` is called when a person wants it to end."""

    def __init__(self, connection, quit_program):
        self._quit, self._connection = quit_program, connection
        self._loop, self._worker, self._thumbnails = Loop(), Worker(), Thumbnails()
        self._file = memory.file()
        remembered, ends = memory.read(self._file)
        self._alerts, self._pauses = Alerts(remembered), memory.Pauses(ends)
        self._stored, self._stored_at = None, time.monotonic()
        self._followers, self._pids, self._updating = {}, {}, None
        self._application = bus.Interface(connection, PATH, _APPLICATION, {
            "Activate": lambda _: self.open_documents(), "Open": lambda *_: self.open_documents(), "ActivateAction": self._activate_action,
        }, {})
        self._item = StatusItem(connection, tray.tray(()), self.perform, self._opening)
        self._providers = CloudProviders(connection, self.perform)
        self._notifications = Notifications(connection, ID, self.perform, self._alerts.dismissed)
        self._network = Network(self._network_changed)
        self._look()

    def close(self):
        self._store()
        self._network.close()
        for follower in self._followers.values():
            follower.close()
        self._notifications.close()
        self._providers.close()
        self._item.close()
        self._application.close()

    # The mounts.

    def _look(self):
        self._follow()
        self._loop.later(_MOUNTS, self._look)

    def _follow(self):
        """Follows the mounts that there are now."""
        found = mounts.read()
        for mount in [mount for mount in self._followers if mount not in found]:
            self._followers.pop(mount).close()
            self._update_soon()
        for mount, record in found.items():
            if mount not in self._followers:
                self._followers[mount] = Follower(mount, self, self._loop)
                self._followers[mount].report_metered(self._network.is_metered)
                self._update_soon()
            elif self._pids.get(mount) != record.pid:
                self._followers[mount].hurry()
        self._pids = {mount: record.pid for mount, record in found.items()}
        # Some causes are shown only if they last, and pauses end without an event.
        if self._followers:
            self._update_soon()

    def _network_changed(self):
        for follower in self._followers.values():
            follower.report_metered(self._network.is_metered)

    def find(self, path):
        return mounts.read().get(path)

    def learned(self):
        self._update_soon()

    def happened(self, mount, event):
        self._worker.later(self._thumbnails.happened, mount, event)

    def _opening(self):
        for follower in self._followers.values():
            follower.refresh()

    # What is shown.

    def _update_soon(self):
        if self._updating is None:
            self._updating = self._loop.later(_GATHER, self._update)

    def _update(self):
        self._updating = None
        facts, now = [follower.facts for follower in self._followers.values()], time.time()
        changes = self._alerts.update(facts, now)
        for key in changes.closed:
            self._notifications.close_alert(key)
        for alert in changes.shown:
            self._notifications.show(alert)
        self._item.show(tray.tray(facts))
        self._providers.show(tray.accounts(facts))
        for mount in self._pauses.update(facts, now):
            self._switch(True, mount, None)
        known = {cause for cause, _ in self._alerts.remembered}, dict(self._pauses.ends)
        if known != self._stored or time.monotonic() - self._stored_at > _STORE:
            self._store()
            self._stored, self._stored_at = known, time.monotonic()

    def _store(self):
        try:
            memory.write(self._file, self._alerts.remembered, self._pauses.ends)
        except OSError as error:
            bus.report(f"what was shown is not remembered: {error}")

    # What a person chooses.

    def perform(self, words):
        {
            "open": self._open, "show": self._show, "versions": self._versions, "allow": self._allow, "stop": self._stop,
            "offline": self._offline, "online": self._online, "metered": self._metered, "mount": self._mount, "quit": self._quit,
            "empty": self._empty, "purge": self._purge,
        }[words[0]](*words[1:])

    def open_documents(self):
        """A person has started the program from a menu, or again."""
        self._follow()
        if self._followers:
            return self._open(min(self._followers))
        self._notifications.show(Alert(
            "mount", "Your documents are not mounted", "The folder MobileDocuments will have the documents of all your devices.",
            (("Mount Now", ("mount",)),), ("mount",)))

    def _mount(self):
        """Mounts the documents, now and with each session; where systemd has no part in the session, only now."""
        def mounted(status, _, errors):
            self._follow()
            if status == 0 and self._followers:
                return self._open(min(self._followers))
            self._fail("The documents cannot be mounted", errors.strip() or f"ubiquity mount ended with {status}")

        def enabled(status, *_):
            # A mount that is there already makes this one succeed or say why not.
            actions.run([actions.program("ubiquity"), "mount"], mounted) if status != 0 else mounted(0, "", "")

        actions.run(["systemctl", "--user", "enable", "--now", "ubiquity.service"], enabled)

    def _activate_action(self, name, *_):
        if name != "quit":
            raise ValueError("there is only the action quit")
        # After the response has been sent.
        self._loop.later(0, self._quit)

    def _open(self, path):
        def done(_, result):
            try:
                Gio.AppInfo.launch_default_for_uri_finish(result)
            except GLib.Error as error:
                self._fail("The folder cannot be opened", f"{path}: {error.message}")

        Gio.AppInfo.launch_default_for_uri_async(Gio.File.new_for_path(path).get_uri(), None, None, done)

    def _show(self, path):
        """Selects a document in a file manager; without one that can, opens its folder."""
        def done(_, problem):
            if problem is not None:
                self._open(os.path.dirname(path))

        manager = "org.freedesktop.FileManager1"
        bus.call(
            self._connection, manager, "/org/freedesktop/FileManager1", manager, "ShowItems",
            GLib.Variant("(ass)", ([Gio.File.new_for_path(path).get_uri()], "")), done)

    def _versions(self, path):
        def ended(status, _, errors):
            if status != 0:
                self._fail("The versions cannot be shown", errors.strip() or f"ubiquity-versions ended with {status}")

        actions.run([actions.program("ubiquity-versions"), "--", path], ended)

    def _allow(self, mount, program):
        self._call(mount, "allowDownloads", {"program": program}, f"{program} cannot be allowed", lambda: None)

    def _stop(self, mount, program):
        # The daemon refuses the program already. It is not asked about again, although the program may go on.
        self._alerts.silence(f"refused|{mount}|{program}", time.time())
        self._update_soon()

    def _offline(self, places, seconds):
        for mount in places:
            self._switch(False, mount, seconds)

    def _online(self, places):
        for mount in places:
            self._switch(True, mount, None)

    def _metered(self, mount, choice):
        self._call(mount, "limits", {"onMetered": choice}, "The setting cannot be changed", lambda: None)

    def _empty(self, mount):
        """Counts what can be removed for good, and asks the person."""
        def counted(response):
            self._notifications.show(emptying.question(mount, response))

        self._ask(mount, "purgeDeleted", {"path": "", "dryRun": True}, _NOT_EMPTIED, counted)

    def _purge(self, mount, until):
        def removed(response):
            self._notifications.show(emptying.result(mount, response))

        # What was deleted after the question stays.
        self._ask(mount, "purgeDeleted", {"path": "", "until": until, "dryRun": False}, _NOT_EMPTIED, removed)

    def _switch(self, is_online, mount, seconds):
        def done():
            self._pauses.end(mount)
            if seconds is not None:
                self._pauses.begin(mount, seconds, time.time())
            self._update_soon()

        title = "The device cannot go online" if is_online else "The device cannot go offline"
        self._call(mount, "setOnline", {"isOnline": is_online}, title, done)

    def _call(self, mount, verb, body, title, done):
        self._ask(mount, verb, body, title, lambda _: done())

    def _ask(self, mount, verb, body, title, done):
        follower = self._followers.get(mount)

        def ended(message):
            if message is not None and "response" in message:
                follower.refresh()
                return done(message["response"])
            failure = message.get("failure") if message is not None else None
            text = failure.get("message") if isinstance(failure, dict) else None
            self._fail(title, f"{mount}: {text or 'the daemon does not respond'}")

        if follower is None or not follower.call(verb, body, ended):
            self._fail(title, f"{mount}: the daemon does not respond")

    def _fail(self, title, text):
        bus.report(f"{title}. {text}")
        self._notifications.show(Alert(f"failure|{title}", title, text, icon="ubiquity-tray-attention"))
