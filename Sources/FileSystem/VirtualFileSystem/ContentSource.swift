package import LocalMetadata
package import Transfers

/// Fetches bytes that are not here, and is notified of changes. The sync engine is one.
package protocol ContentSource: Sendable {
    /// Opens the blob of a file that is not whole, with the download that fills it. Each call needs one ``closeIncomplete(_:)``. Throws
    /// `ESTALE` if the item has changed since it was read, for example because its download has just ended.
    ///
    /// - Parameter program: The name of the program that opens it, for ``DownloadPermit/program``.
    func openIncomplete(_ item: LocalItem, for program: String?) throws -> (
        bytes: SharedDescriptor, download: ContentDownload
    )
    /// Opens the blob as ``openIncomplete(_:for:)`` does, for a program that probably reads no more than the ``ContentHead``, which is
    /// here: it opens without a cloud, and is no reason to fetch anything else.
    func openForLook(_ item: LocalItem, for program: String?) throws -> (
        bytes: SharedDescriptor, download: ContentDownload
    )
    func closeIncomplete(_ item: LocalItem)
    /// Returns once the row of a file whose download is complete says that its bytes are here; after that, the download writes nothing to
    /// its blob.
    ///
    /// - Throws: The error that prevented the row's update.
    func finishDownload(of item: LocalItem) async throws
    /// Notifies the source that a program reads more of the file than its head: the source also fetches the rest while the file is open.
    func completeInBackground(_ item: LocalItem)
    /// How long a reader waits while none of its bytes arrive.
    var patience: Duration { get }
    /// Notifies the source that something changed which is to be synced.
    func localTreeChanged()
    /// Returns the progress of the file's current transfer, if any.
    func progress(of item: LocalItem) -> TransferFractions
    /// Carries out a command given through an extended attribute; returns when the command is recorded, not when it is done.
    func request(_ command: ContentCommand, for item: LocalItem) throws
    /// Evicts documents so that `bytes` more can be written, after the disk refused that.
    ///
    /// - Returns: Whether another try is worthwhile.
    func makeRoom(for bytes: UInt64) -> Bool
    /// Whether the disk has so much room that programs may write to blobs without this process seeing each write.
    var isRoomAmple: Bool { get }
    /// Notifies the source that programs begin to write to a blob by themselves.
    func kernelWrites()
    /// The cloud's total and free space; nil where the cloud has no limit or it is not known.
    var cloudSpace: (total: UInt64, free: UInt64)? { get }
}

/// Defaults for sources that evict nothing, and fetch nothing but what is read.
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
