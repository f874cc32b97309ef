package import Chunking
package import CloudModel

/// A file to upload. It is opened when it is read and closed again, so a batch holds few descriptors however many files
/// it has.
package struct UploadItem: Sendable {
    package let size: UInt64
    package let open: @Sendable () throws -> SharedDescriptor
    package let stillUnchanged: @Sendable () -> Bool
    package let progress: (@Sendable (UInt64) -> Void)?

    /// - Parameters:
    ///   - size: the file's size in bytes; a different size when it is read counts as a change.
    ///   - open: opens it for reading; called several times, on a thread that may block.
    ///   - stillUnchanged: returns whether the file is unchanged since the upload was requested; called before each
    ///     part is read, and once all of it is in the cloud.
    ///   - progress: called with the number of its bytes in the cloud, whenever it grows. Must return immediately.
    package init(
        size: UInt64, open: @escaping @Sendable () throws -> SharedDescriptor,
        stillUnchanged: @escaping @Sendable () -> Bool = { true }, progress: (@Sendable (UInt64) -> Void)? = nil
    ) {
        self.size = size
        self.open = open
        self.stillUnchanged = stillUnchanged
        self.progress = progress
    }

    /// Opens the file, unless it has changed: then its upload is void, and reading and sending the rest would disturb
    /// the writing program.
    func openUnchanged() throws -> SharedDescriptor {
        guard stillUnchanged() else { throw TransferError.changed }
        return try open()
    }
}

/// A content in the cloud with all its chunks.
package struct UploadResult: Hashable, Sendable {
    package let reference: ContentReference
    package let manifest: Manifest
    /// Bytes of the frames sent for it; chunks already in the cloud cost none.
    package let bytesSent: Int
}
