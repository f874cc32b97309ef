/// Programs in which users copy documents, and which look into the documents of a folder to show their kinds:
/// ``DownloadBreaker`` does not watch them, because copying always has to work. docs/PROGRAMS.md has the same list.
package enum FileManagers {
    /// The names of the threads in which KDE's file managers show documents.
    package static let ofKDE: Set<String> = ["dolphin", "konqueror", "krusader"]

    package static let names: Set<String> = [
        "nautilus", "nemo", "caja", "thunar", "Thunar", "pcmanfm", "pcmanfm-qt", "dolphin", "krusader", "konqueror",
        "kdeinit5",
        "kioslave5", "kioworker", "doublecmd", "spacefm", "io.elementary.files", "cosmic-files", "xdg-desktop-portal",
        "xdg-desktop-portal-gnome", "xdg-desktop-portal-gtk", "xdg-desktop-portal-kde",
    ]
}
