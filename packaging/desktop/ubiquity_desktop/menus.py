"""A menu on the bus for hosts of the status area: the interface com.canonical.dbusmenu."""

import itertools

from gi.repository import GLib

from .bus import Interface

PATH = "/MenuBar"
# Lines of one menu.
_MOST = 200
_XML = """<interface name="com.canonical.dbusmenu">
<property name="Version" type="u" access="read"/><property name="TextDirection" type="s" access="read"/>
<property name="Status" type="s" access="read"/><property name="IconThemePath" type="as" access="read"/>
<method name="GetLayout"><arg type="i" direction="in"/><arg type="i" direction="in"/><arg type="as" direction="in"/>
<arg type="u" direction="out"/><arg type="(ia{sv}av)" direction="out"/></method>
<method name="GetGroupProperties"><arg type="ai" direction="in"/><arg type="as" direction="in"/>
<arg type="a(ia{sv})" direction="out"/></method>
<method name="GetProperty"><arg type="i" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="out"/></method>
<method name="Event"><arg type="i" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="in"/>
<arg type="u" direction="in"/></method>
<method name="EventGroup"><arg type="a(isvu)" direction="in"/><arg type="ai" direction="out"/></method>
<method name="AboutToShow"><arg type="i" direction="in"/><arg type="b" direction="out"/></method>
<method name="AboutToShowGroup"><arg type="ai" direction="in"/><arg type="ai" direction="out"/><arg type="ai" direction="out"/></method>
<signal name="ItemsPropertiesUpdated"><arg type="a(ia{sv})"/><arg type="a(ias)"/></signal>
<signal name="LayoutUpdated"><arg type="u"/><arg type="i"/></signal>
<signal name="ItemActivationRequested"><arg type="i"/><arg type="u"/></signal>
</interface>"""


class Numbers:
    """Numbers for the lines of menus: a line keeps its number while it has its key, and no number is used twice soon."""

    def __init__(self):
        self._known, self._next = {}, itertools.count(1)

    def layout(self, entries):
        """Returns the lines of a menu by number, as pairs of an entry and the numbers below it. The root is 0."""
        known, lines = {}, {}

        def number(keys, entry):
            keys = (*keys, entry.key)
            each = self._known.get(keys) or next(self._next)
            known[keys] = each
            lines[each] = (entry, numbers(keys, entry.children[:_MOST]))
            return each

        def numbers(keys, children):
            # Two lines with one key are the same line.
            return list(dict.fromkeys(number(keys, child) for child in children))

        lines[0] = (None, numbers((), entries[:_MOST]))
        self._known = known
        return lines


def properties(entry):
    """The properties of a line that differ from dbusmenu's defaults, as pairs of a type and a value."""
    if entry is None:
        return {"children-display": ("s", "submenu")}
    if not entry.label:
        return {"type": ("s", "separator")}
    # An underline would mark the key of a letter.
    found = {"label": ("s", entry.label.replace("_", "__"))}
    if entry.action is None and not entry.children:
        found["enabled"] = ("b", False)
    if entry.children:
        found["children-display"] = ("s", "submenu")
    if entry.icon:
        found["icon-name"] = ("s", entry.icon)
    return found


class Menu:
    """`chosen` is called with the words of an action; `opening` when a person opens the menu."""

    def __init__(self, connection, chosen, opening):
        self._chosen, self._opening = chosen, opening
        self._numbers, self._revision = Numbers(), 1
        self._entries, self._lines = (), {0: (None, [])}
        self._interface = Interface(connection, PATH, _XML, {
            "GetLayout": self._layout, "GetGroupProperties": self._group,
            "GetProperty": lambda number, name: (_variants(self._lines[number][0])[name],),
            "Event": self._event, "EventGroup": self._events, "AboutToShow": self._about_to_show,
            "AboutToShowGroup": self._about_to_show_group,
        }, {"Version": lambda: 3, "TextDirection": lambda: "ltr", "Status": lambda: "normal", "IconThemePath": list})

    def show(self, entries):
        if entries == self._entries:
            return
        before, self._lines = self._lines, self._numbers.layout(entries)
        self._entries = entries
        if {number: below for number, (_, below) in before.items()} != {
                number: below for number, (_, below) in self._lines.items()}:
            self._revision += 1
            return self._interface.emit("LayoutUpdated", self._revision, 0)
        # A menu that is open must not be built again because of a percentage.
        changed = [
            (number, _variants(entry)) for number, (entry, _) in self._lines.items()
            if properties(entry) != properties(before[number][0])
        ]
        if changed:
            self._interface.emit("ItemsPropertiesUpdated", changed, [])

    def close(self):
        self._interface.close()

    def _layout(self, parent, depth, names):
        return self._revision, self._node(parent, depth, names)

    def _node(self, number, depth, names):
        entry, below = self._lines[number]
        values = {name: value for name, value in _variants(entry).items() if not names or name in names}
        children = [] if depth == 0 else [
            GLib.Variant("(ia{sv}av)", self._node(each, depth - 1, names)) for each in below]
        return number, values, children

    def _group(self, numbers, names):
        found = []
        for number in numbers or list(self._lines):
            if number in self._lines:
                values = _variants(self._lines[number][0])
                found.append((number, {name: values[name] for name in values if not names or name in names}))
        return (found,)

    def _event(self, number, name, *_):
        entry, _ = self._lines[number]
        if name == "clicked" and entry is not None and entry.action is not None:
            self._chosen(entry.action)
        elif name == "opened":
            self._opening()

    def _events(self, events):
        unknown = [number for number, *_ in events if number not in self._lines]
        for number, name, *rest in events:
            if number in self._lines:
                self._event(number, name, *rest)
        return (unknown,)

    def _about_to_show(self, _):
        self._opening()
        return (False,)

    def _about_to_show_group(self, numbers):
        self._opening()
        return [], [number for number in numbers if number not in self._lines]


def _variants(entry):
    return {name: GLib.Variant(kind, value) for name, (kind, value) in properties(entry).items()}
