package import Chunking
package import CloudModel

/// One file to upload. It is opened when it is read and closed again, so a batch holds few descriptors however many files it has.
package struct UploadItem: Sendable {
    package let size: UInt64
    package let open: @Sendable () throws -> SharedDescriptor
    package let stillUnchanged: @Sendable () -> Bool
    package let progress: (@Sendable (UInt64) -> Void)?

    /// - Parameters:
    ///   - size: the file's size in bytes; a different size when it is read counts as a change.
    ///   - open: opens it for reading; called several times, on a thread that may block.
    ///   - stillUnchanged: returns whether the file is still the one that was to be uploaded; called before each part is read, and once
    ///     all of it is in the cloud.
    ///   - progress: called with the number of its bytes that are in the cloud, whenever that grows. Must return at once.
    package init(
        size: UInt64, open: @escaping @Sendable () throws -> SharedDescriptor,
        stillUnchanged: @escaping @Sendable () -> Bool = { true }, progress: (@Sendable (UInt64) -> Void)? = nil
    ) {
        self.size = size
        self.open = open
        self.stillUnchanged = stillUnchanged
        self.progress = progress
    }

    /// Opens the file, unless it has changed: then its upload is void, and reading and sending the rest would disturb the program that
    /// writes it.
    func openUnchanged() throws -> SharedDescriptor {
        guard stillUnchanged() else { throw TransferError.changed }
        return try open()
    }
}

/// A content that is in the cloud with all its chunks.
package struct UploadResult: Hashable, Sendable {
    package let reference: ContentReference
    package let manifest: Manifest
    /// Bytes of the frames sent for it; chunks that the cloud had already cost none.
    package let bytesSent: Int
}
