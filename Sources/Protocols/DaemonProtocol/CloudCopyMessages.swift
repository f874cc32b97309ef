/// A line of the output of `ubiquityd copy-cloud`, which performs `ubiquity cloud copy`: a JSON object. The last line
/// has a result or a failure.
package struct CloudCopyMessage: Codable, Hashable, Sendable {
    package let progress: CloudCopyState?
    package let result: CloudCopyState?
    package let failure: DaemonFailure?

    package init(progress: CloudCopyState? = nil, result: CloudCopyState? = nil, failure: DaemonFailure? = nil) {
        self.progress = progress
        self.result = result
        self.failure = failure
    }
}

/// The progress of a cloud's copy.
package struct CloudCopyState: Codable, Hashable, Sendable {
    /// The container whose log is being copied; nil before the first.
    package let container: String?
    /// That log's entries in both clouds.
    package let entries: UInt64
    /// The entries of all logs, and the bytes of their contents; 0 until they are counted.
    package var totalEntries: UInt64 = 0
    package var totalBytes: UInt64 = 0
    /// Those already in both clouds.
    package var doneEntries: UInt64 = 0
    package var doneBytes: UInt64 = 0
    /// The complete containers.
    package let containers: Int
    /// The entries and chunks added to the target by this copy.
    package let copiedEntries: Int
    package let chunks: Int
    /// The size of these chunks as stored, in bytes.
    package let bytes: UInt64
    /// The contents for which the source no longer has all chunks.
    package let incompleteContents: Int

    package init(
        container: String?, entries: UInt64, containers: Int, copiedEntries: Int, chunks: Int, bytes: UInt64,
        incompleteContents: Int
    ) {
        self.container = container
        self.entries = entries
        self.containers = containers
        self.copiedEntries = copiedEntries
        self.chunks = chunks
        self.bytes = bytes
        self.incompleteContents = incompleteContents
    }
}
