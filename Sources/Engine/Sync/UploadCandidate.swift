package import CloudModel
package import LocalContent
package import LocalMetadata

/// A file as it was when its upload began.
package struct UploadCandidate: Sendable {
    package let item: LocalItem
    package let status: BlobStatus
    /// What its bytes were while it waited; nil if they are not known to have been the same since.
    private let seal: EditSeal?

    /// Throws the `Errno` of `stat(2)` where its bytes can not be found.
    package init(_ item: LocalItem, in store: ContentStore) throws {
        self.item = item
        status = try store.status(item.blob)
        seal = try store.seal(of: item.blob).flatMap { [status] in $0.isOf(item, status) ? $0 : nil }
    }

    /// Whether these may be the bytes that a program wrote: false where they changed by themselves.
    package func isIntact(_ reference: ContentReference) -> Bool { seal?.matches(reference.digest) ?? true }

    /// Its content is in the cloud as `reference`; unless the file was written since, that is what it is. Returns whether it is.
    package func note(
        _ reference: ContentReference, in store: ContentStore, _ transaction: MetadataTransaction
    ) throws -> Bool {
        guard var row = try transaction.local.item(item.node), row.generation == item.generation, row.isEdited,
            try store.status(row.blob) == status
        else { return false }
        row.content = reference
        row.size = reference.size
        row.isEdited = false
        row.uploadError = nil
        try transaction.local.update(row)
        return true
    }
}
