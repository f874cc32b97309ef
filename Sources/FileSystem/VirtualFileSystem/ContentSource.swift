package import LocalMetadata
package import Transfers

/// Fetches bytes that are not here, and is notified of changes. The sync engine is one.
package protocol ContentSource: Sendable {
    /// Opens the blob of a file that is not whole, with the download that fills it. Each call needs one ``closeIncomplete(_:)``.
    /// `ESTALE`: the item is not what it was when it was read, say because its download has just ended.
    func openIncomplete(_ item: LocalItem) throws -> (bytes: SharedDescriptor, download: ContentDownload)
    func closeIncomplete(_ item: LocalItem)
    /// Returns once the row of a file whose download is complete says that its bytes are here; nothing writes to its blob after that.
    ///
    /// - Throws: What kept it from being recorded.
    func finishDownload(of item: LocalItem) async throws
    /// A program reads from the file: fetch the rest too while it is open.
    func completeInBackground(_ item: LocalItem)
    /// How long a reader waits for bytes that do not come.
    var patience: Duration { get }
    /// Something changed that is to be synced.
    func localTreeChanged()
    /// The transfer of a file that is going on now, if any.
    func progress(of item: LocalItem) -> TransferFractions
    /// Carries out a command given through an extended attribute; returns when it is noted, not when it is done.
    func request(_ command: ContentCommand, for item: LocalItem) throws
    /// Evicts documents so that `bytes` more can be written, where the disk refused that.
    ///
    /// - Returns: Whether another try is worthwhile.
    func makeRoom(for bytes: UInt64) -> Bool
    /// Whether the disk has so much room that programs may write to blobs without our seeing each write.
    var isRoomAmple: Bool { get }
    /// Programs begin to write to a blob like that.
    func kernelWrites()
    /// What the cloud has in all and free; nil where it has no limit or is not known.
    var cloudSpace: (total: UInt64, free: UInt64)? { get }
}

/// Of sources that evict nothing.
extension ContentSource {
    package func makeRoom(for bytes: UInt64) -> Bool { false }
    package var isRoomAmple: Bool { true }
    package func kernelWrites() {}
}
