import Basics
import CloudModel
import LocalContent
import LocalMetadata

/// The writes and attributes of an open file that are missing from its row, for a transaction recording them.
struct EditRecord: Equatable {
    /// The blob's status, read for this record; nil if the record depends on none.
    var blob: BlobStatus?
    /// Whether bytes were written since the last record.
    var isWritten = false
    /// Attributes set by programs.
    var attributes: UnrecordedAttributes?
    /// The content last seen by programs in place of an emptied document.
    var overwriting: SeenContent?
    /// Whether it records the close of the last writer.
    var endsWriting = false

    /// Whether it has anything for other devices.
    var isEdit: Bool { isWritten || attributes != nil }

    /// Brings the row up to date: every record of what programs wrote goes through this function.
    func apply(to row: inout LocalItem, at now: Timestamp) {
        if let blob, isWritten {
            row.isEdited = true
            // The written content is whole; an empty file may have had no blob before.
            row.presence = .whole
            row.content = nil
            row.size = blob.size
            row.attributes.modified = blob.modified
            row.changed = max(row.changed, blob.changed)
            row.uploadError = nil
        }
        if let blob, let attributes { attributes.apply(to: &row, blob) }
        if endsWriting { row.isWriting = false }
        // The last close also ends the rest of an edit recorded earlier.
        if isEdit || endsWriting && row.isEdited { row.markPending(at: now) }
    }
}
