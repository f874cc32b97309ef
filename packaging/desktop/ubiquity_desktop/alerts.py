"""Decides which notifications are shown, from facts alone: each cause once, and not again while it lasts."""

import os
from typing import NamedTuple, Optional, Tuple

from .facts import sentence, visible

# A trouble that comes and goes is the same one until it was away for so many seconds.
_FORGET = 3_600
# A failure that lasts for less needs no person: most transfers succeed when they are tried again.
_PATIENCE = 20
# Conflicts never come again under the same name, so these are kept for long: three months.
_REMEMBER = 90 * 86_400
# Causes that are remembered, the latest ones.
_MOST = 2_000
# From so many new conflicts on, one notification counts them.
_SEVERAL = 3
# Reasons of an offline cloud that end only if a person does something.
PERSONAL = ("full", "refused", "stopped")
_CLOUD_TITLES = {
    "full": "The cloud is full", "refused": "The cloud refuses this device", "stopped": "Documents are not synced",
}


class Alert(NamedTuple):
    key: str
    title: str
    text: str
    # What the buttons do: a label, and the words of an action (`Actions` performs them).
    buttons: Tuple[Tuple[str, Tuple], ...] = ()
    # What a click on the notification does.
    default: Optional[Tuple] = None
    is_urgent: bool = False
    icon: str = "ubiquity-tray"


class Changes(NamedTuple):
    shown: Tuple[Alert, ...]
    # Keys of alerts whose cause is over.
    closed: Tuple[str, ...]


class Alerts:
    """Facts of all mounts in, changes of the notifications out. `remembered` is from a former run."""

    def __init__(self, remembered=()):
        # From a cause to the time when it was there last, and when it came; times of the day, because they are stored.
        self._last = dict(list(remembered)[-_MOST:])
        self._since = {}
        # What the cloud said last when a person was needed, by mount. It comes and goes; documents keep it as their failure meanwhile.
        self._said = {}
        # Causes whose notifications are shown, by key.
        self._open = {}

    @property
    def remembered(self):
        """What a later run has to know."""
        return tuple(sorted(self._last.items(), key=lambda each: each[1])[-_MOST:])

    def update(self, mounts, now):
        shown, present = [], {}
        for facts in mounts:
            if facts.is_reached:
                shown += self._conflicts(facts, now, present)
                shown += self._others(facts, now, present)
        # Nothing is known about the causes at a daemon that does not answer.
        unknown = tuple(f"|{facts.mount}|" for facts in mounts if not facts.is_reached)
        closed = [
            key for key, causes in self._open.items()
            if not any(cause in present for cause in causes) and not any(mount in key for mount in unknown)
        ]
        for key in closed:
            del self._open[key]
        for alert, causes in shown:
            self._open[alert.key] = causes
        self._forget(present, now)
        return Changes(tuple(alert for alert, _ in shown), tuple(closed))

    def dismissed(self, key):
        """The notification is gone; its cause may last."""
        self._open.pop(key, None)

    def silence(self, cause, now):
        """The person does not want to see this cause again: not within a day."""
        self._last[cause] = now + 86_400

    def _forget(self, present, now):
        self._since = {cause: since for cause, since in self._since.items() if cause in present}
        for cause, last in list(self._last.items()):
            limit = _REMEMBER if cause.startswith("conflict|") else _FORGET
            # A clock that was set back is no reason to repeat all notifications.
            if cause not in present and now - last > limit:
                del self._last[cause]
        if len(self._last) > 2 * _MOST:
            self._last = dict(self.remembered)

    def _is_new(self, cause, now, present):
        is_new = cause not in self._last
        present[cause] = True
        self._last[cause] = now
        return is_new

    def _conflicts(self, facts, now, present):
        news = []
        for conflict in facts.conflicts:
            causes = [f"conflict|{facts.mount}|{conflict.container}|{version}" for version in conflict.versions]
            if any([self._is_new(cause, now, present) for cause in causes]):
                news.append((conflict, causes))
        if len(news) > _SEVERAL:
            causes = [cause for _, each in news for cause in each]
            names = ", ".join(visible(os.path.basename(conflict.path)) for conflict, _ in news[:_SEVERAL])
            return [(Alert(
                f"conflicts|{facts.mount}|{causes[0]}", f"{len(news)} documents are in conflict",
                f"Two devices changed each of them: {names} and others. All versions are kept.",
                (("Open Folder", ("open", facts.mount)),), ("open", facts.mount)), causes)]
        return [(_conflict_alert(facts, conflict, causes), causes) for conflict, causes in news]

    def _others(self, facts, now, present):
        shown = []
        if facts.reason in PERSONAL:
            self._said[facts.mount] = _plain(facts.message)
        for cause, alert, patience in self._causes(facts):
            if cause in present or self._is_said(facts.mount, alert):
                continue
            since = self._since.setdefault(cause, now)
            if cause in self._last:
                self._last[cause] = max(now, self._last[cause])
                present[cause] = True
            elif now - since >= patience or now < since:
                self._is_new(cause, now, present)
                shown.append((alert, (cause,)))
            else:
                present[cause] = True
        return shown

    def _is_said(self, mount, alert):
        is_known = any(f"cloud|{mount}|{reason}" in self._last for reason in PERSONAL)
        return is_known and alert.key.startswith("trouble|") and _plain(alert.text) == self._said.get(mount)

    def _causes(self, facts):
        """Each cause of the moment with its alert, and how long it has to last before it is shown."""
        place, reason = facts.mount, facts.reason
        name = visible(os.path.basename(place))
        if not facts.is_online and facts.is_signed_in is False and reason != "takenOffline":
            yield f"signedOut|{place}|", Alert(
                f"signedOut|{place}|", "This device is signed out", f"{name}: {visible(facts.message)}",
                is_urgent=True, icon="ubiquity-tray-attention"), _PATIENCE
        elif reason in PERSONAL:
            yield f"cloud|{place}|{reason}", Alert(
                f"cloud|{place}|{reason}", _CLOUD_TITLES[reason], f"{name}: {visible(facts.message)}",
                (("Open Folder", ("open", place)),), ("open", place), True, "ubiquity-tray-attention"), 0
        for refusal in facts.refusals:
            program = visible(refusal.program)
            yield f"refused|{place}|{refusal.program}", Alert(
                f"refused|{place}|{refusal.program}", f"{program} is reading 64 documents that are not on this device",
                "It gets no more of them for ten minutes. Allow it if they should be downloaded.",
                (("Allow", ("allow", place, refusal.program)), ("Stop", ("stop", place, refusal.program)))), 0
        if facts.rebuild is not None:
            summary, aside = facts.rebuild
            yield f"rebuild|{place}|{aside}", Alert(
                f"rebuild|{place}|{aside}", "The state of this device was rebuilt", visible(summary),
                (("Open Folder", ("open", place)),), ("open", place)), 0
        yield from _troubles(facts)


def _conflict_alert(facts, conflict, causes):
    path = facts.absolute(conflict.path)
    action = ("versions", path)
    return Alert(
        causes[0], f"{visible(os.path.basename(conflict.path))} is in conflict",
        "Two devices changed it at once. All versions are kept; choose which one stays.",
        (("Show Versions", action),), action, icon="emblem-ubiquity-conflict")


def personal_troubles(facts):
    """The failures that a person has to know. Those of transfers while the cloud is away end by themselves."""
    cloud = _plain(facts.message)
    return [
        trouble for trouble in facts.troubles
        if facts.is_online and facts.reason not in PERSONAL or (trouble.code not in ("failed", "offline", "timedOut") and _plain(trouble.text) != cloud)
    ]


def _troubles(facts):
    groups = {}
    for trouble in personal_troubles(facts):
        groups.setdefault((trouble.code, trouble.text), []).append(trouble.path)
    for (code, text), paths in groups.items():
        known = [path for path in paths if path is not None]
        first = visible(os.path.basename(known[0])) if known else visible(os.path.basename(facts.mount))
        title = f"{len(known)} documents are not synced" if len(known) > 1 else f"{first} is not synced"
        if code == "diskFull":
            title = "The disk of this device is full"
        elif not known:
            title = "Documents need attention"
        action = ("show", facts.absolute(known[0] if known else None))
        # The same failure of one more document is the same cause.
        key = f"trouble|{facts.mount}|{code}|{text}"
        patience = _PATIENCE if code in ("failed", "busy", "offline", "timedOut") else 0
        yield key, Alert(
            key, title, visible(text), (("Show", action),), action, True, "ubiquity-tray-attention"), patience


def _plain(text):
    return sentence(text).lower()
