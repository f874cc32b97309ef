/// A part of the daemon with a separate level for its log lines.
package enum LogArea: String, CaseIterable, Sendable {
    /// Calls of programs in the mount.
    case files
    /// Changes taken from the logs of the cloud and sent to them.
    case sync
    /// Uploads, downloads and evictions.
    case transfers
    /// Coordinating programs.
    case claims
    /// Requests to the cloud.
    case cloud
    /// Requests of commands and apps to the daemon.
    case commands
}

/// The levels of a log, as in `info` or `info,sync=debug,cloud=trace`.
package struct LogLevels: Hashable, Sendable, CustomStringConvertible {
    /// The names of swift-log, the most detailed first.
    package enum Level: String, CaseIterable, Sendable {
        case trace, debug, info, notice, warning, error
    }

    package private(set) var base: Level
    package private(set) var areas: [LogArea: Level]

    package init(_ base: Level = .info, areas: [LogArea: Level] = [:]) {
        self.base = base
        self.areas = areas
    }

    /// Parses levels: one for everything, `AREA=LEVEL` for an area, or several of both, separated by commas. A level
    /// without an area replaces those of all areas before it.
    ///
    /// - Parameter former: The levels changed by a text without a level for everything.
    /// - Returns: nil if `text` has an unknown level or area.
    package init?(_ text: String, changing former: LogLevels = LogLevels()) {
        self = former
        guard !text.isEmpty else { return nil }
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let words = part.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard let level = words.last.flatMap(Level.init) else { return nil }
            switch words.count {
            case 1: self = LogLevels(level)
            case 2:
                guard let area = LogArea(rawValue: words[0]) else { return nil }
                areas[area] = level == base ? nil : level
            default: return nil
            }
        }
    }

    package func level(of area: LogArea?) -> Level { area.flatMap { areas[$0] } ?? base }

    package var description: String {
        ([base.rawValue] + LogArea.allCases.compactMap { area in areas[area].map { "\(area.rawValue)=\($0.rawValue)" } })
            .joined(separator: ",")
    }

    /// How to write levels, for messages.
    package static var syntax: String {
        "\(Level.allCases.map(\.rawValue).joined(separator: ", ")), or AREA=LEVEL with "
            + LogArea.allCases.map(\.rawValue).joined(separator: ", ")
    }
}
