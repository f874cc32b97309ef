/// Lists what a document is and was: its current version, those in conflict, and those of its history.
package struct VersionsRequest: Codable, Hashable, Sendable {
    /// A document that is there, or was: then of the one that was deleted last under this name.
    package let path: MountPath
    package init(path: MountPath) { self.path = path }
}

package struct VersionsResponse: Codable, Hashable, Sendable {
    package let path: MountPath
    /// The document is deleted: there is no current version, and one of the history is restored to a file.
    package let isDeleted: Bool
    /// The current one first, then the newest first.
    package let versions: [DocumentVersion]

    package init(path: MountPath, isDeleted: Bool, versions: [DocumentVersion]) {
        self.path = path
        self.isDeleted = isDeleted
        self.versions = versions
    }
}

package struct DocumentVersion: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable { case current, conflict, history }

    /// Names it for ever, on every device; `current` for what the cloud has not been told of.
    package let version: String
    package let kind: Kind
    /// Where it was made.
    package let device: String
    package let modified: WireTime
    package let size: UInt64
    /// When something else took its place; of a version of the history.
    package let superseded: WireTime?
    /// Whether its bytes can be read now.
    package let isHere: Bool
    /// Where, absolute; or where they will be when they have been fetched.
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

/// Fetches the bytes of a version of the history to a file beside the mount, which stays for a day at least while the daemon runs.
package struct FetchVersionRequest: Codable, Hashable, Sendable {
    package let path: MountPath
    package let version: String

    package init(path: MountPath, version: String) {
        self.path = path
        self.version = version
    }
}

package struct FetchVersionResponse: Codable, Hashable, Sendable {
    /// With its ``DocumentVersion/file``.
    package let version: DocumentVersion
    package init(version: DocumentVersion) { self.version = version }
}

/// Makes a version the document's current one; what is current now becomes one of the history.
package struct RestoreRequest: Codable, Hashable, Sendable {
    package let path: MountPath
    package let version: String

    package init(path: MountPath, version: String) {
        self.path = path
        self.version = version
    }
}

/// Removes versions of the history, on every device.
package struct RemoveVersionsRequest: Codable, Hashable, Sendable {
    package let path: MountPath
    package let versions: [String]

    package init(path: MountPath, versions: [String]) {
        self.path = path
        self.versions = versions
    }
}
