package import LocalMetadata
package import Transfers

/// Fetches missing bytes, and is notified of changes. The sync engine is such a source.
package protocol ContentSource: Sendable {
    /// Opens an incomplete file's blob, with the download filling it. Each call needs one ``closeIncomplete(_:)``.
    /// Throws `ESTALE` if the item has changed since it was read, for example because its download has just ended.
    ///
    /// - Parameter program: The name of the opening program, for ``DownloadPermit/program``.
    func openIncomplete(_ item: LocalItem, for program: String?) throws -> (
        bytes: SharedDescriptor, download: ContentDownload
    )
    /// Opens the blob as ``openIncomplete(_:for:)`` does, for a program expected to read no more than the local
    /// ``ContentHead``: this needs no cloud and triggers no other fetches.
    func openForLook(_ item: LocalItem, for program: String?) throws -> (
        bytes: SharedDescriptor, download: ContentDownload
    )
    func closeIncomplete(_ item: LocalItem)
    /// Returns once a completely downloaded file's row says that its bytes are local; after that, the download writes
    /// nothing to its blob.
    ///
    /// - Throws: The error that prevented the row's update.
    func finishDownload(of item: LocalItem) async throws
    /// Notifies the source of a program reading more of the file than its head: the source also fetches the rest while
    /// the file is open.
    func completeInBackground(_ item: LocalItem)
    /// How long a reader waits while none of its bytes arrive.
    var patience: Duration { get }
    /// Notifies the source of a change to be synced.
    func localTreeChanged()
    /// Returns the progress of the file's current transfer, if any.
    func progress(of item: LocalItem) -> TransferFractions
    /// Carries out a command given through an extended attribute; returns when the command is recorded, not when it is done.
    func request(_ command: ContentCommand, for item: LocalItem) throws
    /// Evicts documents to make room for `bytes` more, after the disk refused them.
    ///
    /// - Returns: Whether a retry is worthwhile.
    func makeRoom(for bytes: UInt64) -> Bool
    /// Whether the disk has enough room for programs to write to blobs without this process seeing each write.
    var isRoomAmple: Bool { get }
    /// Notifies the source that programs begin to write to a blob directly.
    func kernelWrites()
    /// The cloud's total and free space; nil if unlimited or unknown.
    var cloudSpace: (total: UInt64, free: UInt64)? { get }
}

/// Defaults for sources that neither evict nor prefetch.
extension ContentSource {
    package func openForLook(_ item: LocalItem, for program: String?) throws -> (
        bytes: SharedDescriptor, download: ContentDownload
    ) {
        try openIncomplete(item, for: program)
    }
    package func makeRoom(for bytes: UInt64) -> Bool { false }
    package var isRoomAmple: Bool { true }
    package func kernelWrites() {}
}
