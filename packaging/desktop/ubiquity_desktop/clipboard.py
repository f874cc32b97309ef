"""Copies text, in programs with GTK 3 and with GTK 4."""


def copy(text):
    from gi.repository import Gdk

    display = Gdk.Display.get_default()
    if display is None:
        return
    if hasattr(display, "get_clipboard"):
        display.get_clipboard().set(text)
    else:
        from gi.repository import Gtk

        clipboard = Gtk.Clipboard.get_for_display(display, Gdk.SELECTION_CLIPBOARD)
        clipboard.set_text(text, -1)
        clipboard.store()
