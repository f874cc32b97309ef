/// Lists the unresolved conflicts at or below a path.
package struct ConflictsRequest: DaemonCall {
    package typealias Response = ConflictsResponse
    package static let verb = "conflicts"

    package let path: MountPath
    package init(path: MountPath) { self.path = path }
}

package struct ConflictsResponse: CallResponse {
    package static let kind = "conflicts"

    package let conflicts: [ConflictedItem]
    package init(conflicts: [ConflictedItem]) { self.conflicts = conflicts }
}

/// A document and the versions that lost against its current version.
package struct ConflictedItem: Codable, Hashable, Sendable {
    package let path: MountPath
    package let current: ConflictSide
    package let versions: [ConflictSide]

    package init(path: MountPath, current: ConflictSide, versions: [ConflictSide]) {
        self.path = path
        self.current = current
        self.versions = versions
    }
}

package struct ConflictSide: Codable, Hashable, Sendable {
    /// The version's name for `resolve --keep`.
    package let version: String
    /// The path of the version in the mount.
    package let path: MountPath
    package let device: String
    package let modified: WireTime
    package let size: UInt64

    package init(version: String, path: MountPath, device: String, modified: WireTime, size: UInt64) {
        self.version = version
        self.path = path
        self.device = device
        self.modified = modified
        self.size = size
    }
}

package struct ResolveRequest: DaemonCall {
    package typealias Response = ResolveResponse
    package static let verb = "resolve"

    package let path: MountPath
    package let keep: ConflictChoice

    package init(path: MountPath, keep: ConflictChoice) {
        self.path = path
        self.keep = keep
    }
}

/// The side of a conflict to keep. As text: `current`, `both`, or a version.
package enum ConflictChoice: Codable, Hashable, Sendable {
    /// The current version stays, the rest go to the history.
    case current
    /// All conflict versions become separate documents beside the current one.
    case both
    case version(String)

    package init(_ text: String) {
        switch text {
        case "current": self = .current
        case "both": self = .both
        default: self = .version(text)
        }
    }

    package var text: String {
        switch self {
        case .current: "current"
        case .both: "both"
        case .version(let version): version
        }
    }

    package init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

package struct ResolveResponse: CallResponse {
    package static let kind = "resolve"

    /// The number of versions no longer in conflict.
    package let resolved: UInt64
    package init(resolved: UInt64) { self.resolved = resolved }
}
