package import CloudModel
package import LocalContent
package import LocalMetadata

/// A file in its state at the start of its upload.
package struct UploadCandidate: Sendable {
    package let item: LocalItem
    package let status: BlobStatus
    /// The seal of its bytes from while it waited; nil if they are not known to be unchanged since.
    private let seal: EditSeal?
    /// Its first bytes, if other devices need them before they have the content.
    private let head: [UInt8]?

    /// Throws the `Errno` of `stat(2)` if its blob cannot be found.
    package init(_ item: LocalItem, in store: ContentStore) throws {
        self.item = item
        status = try store.status(item.blob)
        seal = try store.seal(of: item.blob).flatMap { [status] in $0.isOf(item, status) ? $0 : nil }
        // Read after the status: if the status is unchanged at the end of the upload, these are bytes of the uploaded
        // content.
        let needsHead = ContentHead.isNeeded(by: item.name, size: status.size)
        head = needsHead ? try store.firstBytes(of: item.blob, ContentHead.maximumBytes) : nil
    }

    /// Returns whether these may be the bytes written by a program; false if they changed silently.
    package func isIntact(_ reference: ContentReference) -> Bool { seal?.matches(reference.digest) ?? true }

    /// Records that its content is in the cloud as `reference`, unless the file was written since. Returns whether it
    /// was recorded.
    package func note(
        _ reference: ContentReference, in store: ContentStore, _ transaction: MetadataTransaction
    ) throws -> Bool {
        guard var row = try transaction.local.item(item.node), row.generation == item.generation, row.isEdited,
            try store.status(row.blob) == status
        else { return false }
        row.content = reference
        row.size = reference.size
        row.head = head.map { ContentHead(of: reference.digest, bytes: $0) }
        row.isEdited = false
        row.attributes.extended[ReservedAttribute.announcedEdit] = nil
        row.uploadError = nil
        try transaction.local.update(row)
        return true
    }
}
