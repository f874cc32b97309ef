/// Fetches the newest version that the cloud has of a document, also while its sync is paused; then to a file beside the mount, which stays for a
/// day at least while the daemon runs. Answered with ``FetchVersionResponse``.
package struct LatestVersionRequest: Codable, Hashable, Sendable {
    package let path: MountPath
    /// Seconds to wait for the cloud; nil waits as long as it takes.
    package let timeout: Double?

    package init(path: MountPath, timeout: Double? = nil) {
        self.path = path
        self.timeout = timeout
    }
}

/// Ends the pause of a document's sync, or uploads it once in spite of it.
package struct ResumeRequest: Codable, Hashable, Sendable {
    package enum Edits: String, Codable, Hashable, Sendable {
        /// They go to the cloud; where another device wrote too it is a conflict, as always.
        case upload
        /// They go to the cloud, unless another device wrote since: then `conflict`, and nothing has changed.
        case uploadUnlessConflict
        /// They are given up.
        case drop
    }

    package let path: MountPath
    package let edits: Edits
    /// The version that the edits take into account, as ``LatestVersionRequest`` gave it; nil for the one that they began from.
    package let seen: String?
    /// Whether sync is paused again afterwards.
    package let staysPaused: Bool
    /// Seconds to wait for the cloud; nil waits as long as it takes.
    package let timeout: Double?

    package init(path: MountPath, edits: Edits, seen: String? = nil, staysPaused: Bool = false, timeout: Double? = nil)
    {
        self.path = path
        self.edits = edits
        self.seen = seen
        self.staysPaused = staysPaused
        self.timeout = timeout
    }
}
