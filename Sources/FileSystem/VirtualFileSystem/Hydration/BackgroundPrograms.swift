/// Programs that read many documents without a user's request: indexers, thumbnailers and scanners. docs/PROGRAMS.md
/// has the same list.
package enum BackgroundPrograms {
    package static let indexers = [
        "tracker-extract", "tracker-extract-3", "tracker-miner-fs", "tracker-miner-fs-3", "localsearch",
        "localsearch-3", "localsearch-extractor-3", "baloo_file", "baloo_file_extractor",
        "baloo_filemetadata_temp_extractor", "recollindex", "updatedb", "updatedb.plocate", "updatedb.mlocate",
        "zeitgeist-fts",
    ]

    package static let thumbnailers = [
        "tumblerd", "totem-video-thumbnailer", "gdk-pixbuf-thumbnailer", "glycin-thumbnailer", "evince-thumbnailer",
        "papers-thumbnailer", "ffmpegthumbnailer", "gnome-thumbnail-font", "gsf-office-thumbnailer",
        "atril-thumbnailer",
        "xreader-thumbnailer", "gnome-epub-thumbnailer", "raw-thumbnailer", "showtime-thumbnailer",
    ]

    package static let scanners = [
        "clamscan", "clamd", "clamdscan", "clamonacc", "freshclam", "rkhunter", "chkrootkit",
    ]

    /// Multi-purpose programs; the plug-in's file among their arguments marks a thumbnailer.
    package static let plugins = [
        "kioslave5": "thumbnail.so", "kioworker": "thumbnail.so", "kdeinit5": "thumbnail.so",
    ]

    private static let rules = ProgramRules(
        Dictionary((indexers + thumbnailers + scanners).map { ($0, DownloadAllowance.deny) }) { first, _ in first })

    static func contain(_ program: ProcessFacts.Program) -> Bool {
        rules.allowance(of: program) != nil || isThumbnailPlugin(program)
    }

    /// KDE runs every protocol of a file manager in a program of the same name; the file protocol copies documents and
    /// must work.
    private static func isThumbnailPlugin(_ program: ProcessFacts.Program) -> Bool {
        let file = program.path?.split(separator: "/").last.map(String.init)
        guard let plugin = plugins[file ?? program.name] ?? plugins[program.name] else { return false }
        return program.arguments.contains { argument in
            // kdeinit5 writes "thumbnail.so [kdeinit5] …" over its arguments.
            argument.split(separator: " ").first.map { $0 == plugin || $0.hasSuffix("/\(plugin)") } ?? false
        }
    }
}
