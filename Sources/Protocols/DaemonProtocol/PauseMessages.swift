/// Downloads the newest version of a document from the cloud. If the document's sync is paused, the version is
/// downloaded to a file outside the mount, kept for at least a day while the daemon runs.
package struct LatestVersionRequest: DaemonCall {
    package typealias Response = FetchVersionResponse
    package static let verb = "latestVersion"

    package let path: MountPath
    /// Seconds to wait for the cloud; nil waits without a limit.
    package let timeout: Double?

    package init(path: MountPath, timeout: Double? = nil) {
        self.path = path
        self.timeout = timeout
    }
}

/// Ends the pause of a document's sync, or uploads the document once in spite of the pause.
package struct ResumeRequest: DaemonCall {
    package typealias Response = DoneResponse
    package static let verb = "resume"

    package enum Edits: String, Codable, Hashable, Sendable {
        /// The edits are uploaded; if another device wrote too, this is a conflict, as always.
        case upload
        /// The edits are uploaded unless another device wrote since; then the request fails with `conflict` and changes
        /// nothing.
        case uploadUnlessConflict
        /// The edits are discarded.
        case drop
    }

    package let path: MountPath
    package let edits: Edits
    /// The version taken into account by the edits, from the response to ``LatestVersionRequest``; nil for their base
    /// version.
    package let seen: String?
    /// Whether sync is paused again afterwards.
    package let staysPaused: Bool
    /// Seconds to wait for the cloud; nil waits without a limit.
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
