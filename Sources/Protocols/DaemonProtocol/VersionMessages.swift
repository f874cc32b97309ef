/// Lists the versions of a document: the current one, those in conflict, and those of its history.
package struct VersionsRequest: DaemonCall {
    package typealias Response = VersionsResponse
    package static let verb = "versions"

    /// The path of a document. If the document is deleted, the last deletion under this name is listed.
    package let path: MountPath
    package init(path: MountPath) { self.path = path }
}

package struct VersionsResponse: CallResponse {
    package static let kind = "versions"

    package let path: MountPath
    /// Whether the document is deleted: then there is no current version, and a version of the history can only be restored to a file.
    package let isDeleted: Bool
    /// The versions: the current version first, then newest first.
    package let versions: [DocumentVersion]

    package init(path: MountPath, isDeleted: Bool, versions: [DocumentVersion]) {
        self.path = path
        self.isDeleted = isDeleted
        self.versions = versions
    }
}

package struct DocumentVersion: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable { case current, conflict, history }

    /// A permanent name, the same on every device; `current` for content not in the cloud yet.
    package let version: String
    package let kind: Kind
    /// The device that created the version.
    package let device: String
    package let modified: WireTime
    package let size: UInt64
    /// For a version of the history: when the daemon learned that it was replaced.
    package let superseded: WireTime?
    /// Whether the bytes can be read without a download.
    package let isHere: Bool
    /// The absolute path of the bytes, even before their download.
    package let file: String

    package init(
        version: String, kind: Kind, device: String, modified: WireTime, size: UInt64, superseded: WireTime? = nil,
        isHere: Bool, file: String
    ) {
        self.version = version
        self.kind = kind
        self.device = device
        self.modified = modified
        self.size = size
        self.superseded = superseded
        self.isHere = isHere
        self.file = file
    }
}

/// Downloads the bytes of a version of the history to a file outside the mount, kept for at least a day while the
/// daemon runs.
package struct FetchVersionRequest: DaemonCall {
    package typealias Response = FetchVersionResponse
    package static let verb = "fetchVersion"

    package let path: MountPath
    package let version: String

    package init(path: MountPath, version: String) {
        self.path = path
        self.version = version
    }
}

package struct FetchVersionResponse: CallResponse {
    package static let kind = "fetchVersion"

    /// The version, with the path of its bytes in ``DocumentVersion/file``.
    package let version: DocumentVersion
    package init(version: DocumentVersion) { self.version = version }
}

/// Makes a version the document's current version; the former current version becomes part of the history.
package struct RestoreRequest: DaemonCall {
    package typealias Response = DoneResponse
    package static let verb = "restore"

    package let path: MountPath
    package let version: String

    package init(path: MountPath, version: String) {
        self.path = path
        self.version = version
    }
}

/// Removes versions of the history, on every device.
package struct RemoveVersionsRequest: DaemonCall {
    package typealias Response = DoneResponse
    package static let verb = "removeVersions"

    package let path: MountPath
    package let versions: [String]

    package init(path: MountPath, versions: [String]) {
        self.path = path
        self.versions = versions
    }
}
