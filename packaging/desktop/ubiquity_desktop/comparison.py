"""Two versions of a text or a picture side by side, as widgets of GTK 3."""

import os

from gi.repository import Gdk, GdkPixbuf, GLib, Gtk

from . import compare

# Bytes of a picture's file, and pixels of it.
_LARGEST, _MOST = 64 << 20, 100_000_000
_ROOM = (900, 700)
_SIGNS = {compare.EQUAL: "  ", compare.CHANGED: "~ ", compare.ADDED: "+ ", compare.REMOVED: "− "}
# Of the whole line, and of the characters that differ; they let a light and a dark background through.
_COLOURS = {
    compare.CHANGED: ("rgba(229,165,10,.18)", "rgba(229,165,10,.45)"), compare.ADDED: ("rgba(46,194,126,.22)", None),
    compare.REMOVED: ("rgba(224,27,36,.20)", None),
}
_MISSING = "rgba(128,128,128,.12)"


def read(files):
    """Reads two files, on a thread. Returns a function that makes the widget of them, on the thread of the windows, or a text: why there
    is none.
    """
    for file in files:
        if os.path.isdir(file):
            return "A package is a folder; its versions cannot be shown side by side. Open them to compare."
    try:
        contents = []
        for file in files:
            with open(file, "rb") as content:
                contents.append(compare.text(content.read(compare.LARGEST + 1)))
        # What is text for one of them and no text for the other has changed its kind.
        if None not in contents:
            result = compare.compare(*contents)
            return lambda: texts(result)
        pictures = [_picture(file) for file in files]
    except OSError as error:
        return f"{error.filename or files[0]}: {error.strerror}"
    if None in pictures:
        return "Only texts of up to 1 MiB and pictures are shown side by side. Open the versions to compare them."
    return lambda: side_by_side([_picture_widget(*picture) for picture in pictures])


def _picture(file):
    """The picture, small enough for the window, with its true size; nothing if it is none or too large."""
    found, width, height = GdkPixbuf.Pixbuf.get_file_info(file)
    if found is None or width * height > _MOST or os.path.getsize(file) > _LARGEST:
        return None
    try:
        return GdkPixbuf.Pixbuf.new_from_file_at_size(file, *compare.fit(width, height, *_ROOM)), width, height
    except GLib.Error:
        # It is damaged.
        return None


def side_by_side(widgets):
    box = Gtk.Box(spacing=6, homogeneous=True)
    for widget in widgets:
        box.pack_start(widget, True, True, 0)
    box.show_all()
    return box


def texts(comparison):
    views = [_text_view(cells) for cells in (comparison.left, comparison.right)]
    scrolled = [Gtk.ScrolledWindow(child=view, shadow_type=Gtk.ShadowType.IN) for view in views]
    # Both columns have the same lines, so they scroll together.
    scrolled[1].set_vadjustment(scrolled[0].get_vadjustment())
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)
    box.pack_start(side_by_side(scrolled), True, True, 0)
    count = comparison.count
    text = "The texts are the same." if count == 0 else f"{count} place differs." if count == 1 else f"{count} places differ."
    if comparison.is_cut:
        text += " Only the first lines are compared."
    box.pack_start(Gtk.Label(label=text, xalign=0), False, False, 0)
    box.show_all()
    return box


def _text_view(cells):
    buffer = Gtk.TextBuffer()
    tags = {}
    for kind, (line, part) in _COLOURS.items():
        tags[kind] = buffer.create_tag(f"line {kind}", paragraph_background_rgba=_colour(line))
        if part is not None:
            tags[kind, "part"] = buffer.create_tag(f"part {kind}", background_rgba=_colour(part))
    missing = buffer.create_tag("missing", paragraph_background_rgba=_colour(_MISSING))
    for number, cell in enumerate(cells):
        sign = _SIGNS[cell.kind] if cell.is_there else ""
        # Some characters end a line of GTK although they end none of a text.
        text = cell.text.translate({0x2029: " ", 0x0d: " ", 0x0a: " "})
        end = "\n" if number + 1 < len(cells) else ""
        tag = tags.get(cell.kind) if cell.is_there else missing
        start = buffer.get_end_iter().get_offset()
        buffer.insert(buffer.get_end_iter(), f"{sign}{text}{end}")
        if tag is not None:
            buffer.apply_tag(tag, buffer.get_iter_at_offset(start), buffer.get_end_iter())
        for first, after in cell.marks:
            part = tags.get((cell.kind, "part"))
            offset = start + len(sign)
            buffer.apply_tag(part, buffer.get_iter_at_offset(offset + first), buffer.get_iter_at_offset(offset + after))
    view = Gtk.TextView(buffer=buffer, editable=False, cursor_visible=False, monospace=True, left_margin=6, right_margin=6)
    return view


def _picture_widget(pixbuf, width, height):
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)
    image = Gtk.Image()
    # Takes whatever room there is, without bars.
    area = Gtk.ScrolledWindow(
        child=image, hscrollbar_policy=Gtk.PolicyType.EXTERNAL, vscrollbar_policy=Gtk.PolicyType.EXTERNAL, vexpand=True)
    sizes = []

    def allocated(_, room):
        shown = compare.fit(pixbuf.get_width(), pixbuf.get_height(), room.width, room.height)
        if sizes != [shown]:
            sizes[:] = [shown]
            scaled = pixbuf.scale_simple(*shown, GdkPixbuf.InterpType.BILINEAR)
            # Not while sizes are being given.
            GLib.idle_add(lambda: image.set_from_pixbuf(scaled) and False)

    area.connect("size-allocate", allocated)
    box.pack_start(area, True, True, 0)
    box.pack_start(Gtk.Label(label=f"{width} × {height} pixels"), False, False, 0)
    return box


def _colour(text):
    colour = Gdk.RGBA()
    colour.parse(text)
    return colour
