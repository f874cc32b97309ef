import Basics
import CloudModel
import Glibc
import LocalContent
import LocalMetadata

/// The time between opening the first writable handle and recording the result.
extension VirtualFileSystem {
    /// Marks the file as being written when the first writable handle is opened. The mark is durable before a byte of a
    /// clean file can change.
    func beginWriting(_ state: inout OpenFile.State) throws {
        guard var item = state.item else { throw Errno(EIO) }
        try checkChangeable(item)
        if state.isUnfinished {
            try finishWriting(&state)
            state.isUnfinished = false
            item = state.item ?? item
        }
        if try resumeWriting(&state) {
            state.writers = 1
            state.hasNotedEdit = false
            return
        }
        item = state.item ?? item
        state.writers += 1
        guard state.writers == 1 else { return }
        state.unrecordedSince = nil
        state.hasNotedEdit = false
        do {
            if state.download == nil {
                try LocalContent.setModified(item.attributes.modified, descriptor: state.descriptor)
                state.baseline = try BlobStatus(descriptor: state.descriptor)
            }
            if !state.isUnlinked, !item.isWriting {
                var wasClean = true
                let rest = time.now().adding(.seconds(2))
                // Those of an earlier opening, recorded by its close.
                if state.download == nil { try content.removeUnrecordedAttributes(descriptor: state.descriptor) }
                let isThere = try updateRow(of: item.node, &state) { row, _, _ in
                    wasClean = !row.isEdited
                    row.isWriting = true
                    // An edit waiting for its upload is being overwritten: half of that should not be sent. The close
                    // decides when it is sent.
                    if row.isEdited, row.pendingSince != nil { row.pendingSince = rest }
                }
                if isThere, wasClean { try metadata.makeDurable() }
            }
        } catch {
            abandonWriting(&state)
            throw error
        }
    }

    /// Records the end of writing, and the edit if the blob was written.
    func finishWriting(_ state: inout OpenFile.State) throws {
        guard !state.isUnlinked, let item = state.item else { return }
        _ = try commit(editRecord(of: state, endsWriting: true), of: item.node, &state)
    }

    /// Returns the record of everything that the file's row lacks.
    func editRecord(of state: borrowing OpenFile.State, endsWriting: Bool = false) throws -> EditRecord {
        var record = EditRecord(endsWriting: endsWriting)
        guard !state.isUnlinked, state.download == nil, state.descriptor >= 0,
            state.baseline != nil || state.unrecorded != nil
        else { return record }
        let blob = try BlobStatus(descriptor: state.descriptor)
        record.blob = blob
        if let baseline = state.baseline { record.isWritten = !blob.hasSameContent(as: baseline) }
        if record.isWritten { record.overwriting = state.overwriting }
        record.attributes = state.unrecorded
        return record
    }

    /// Records an open file's edit in its row, with a further change of it, in one transaction.
    ///
    /// - Returns: Whether there is a row.
    func commit(
        _ record: EditRecord, of node: NodeID, _ state: inout OpenFile.State, _ use: SpaceUse = .freeing,
        _ change: (inout LocalItem) throws -> Void = { _ in }
    ) throws -> Bool {
        var base: SeenContent?
        let isThere = try updateRow(of: node, &state, use) { row, _, transaction in
            base = try apply(record, to: &row, at: time.now(), transaction)
            try change(&row)
        }
        guard isThere, let item = state.item else { return false }
        // A start after a crash would apply the blob's attributes again while the row says that the file is written.
        if record.attributes != nil, !record.endsWriting {
            try content.removeUnrecordedAttributes(descriptor: state.descriptor)
        }
        noteRecorded(record, &state)
        if let base { note(base, at: DocumentPlace(of: item)) }
        if record.isWritten { observer?.happened(.changed(node)) }
        if record.isEdit || record.endsWriting { source.localTreeChanged() } else { notifyIfPending(item) }
        return true
    }

    /// Applies a record in its transaction.
    ///
    /// - Returns: The base of an emptied document's edit, to be noted after the commit.
    func apply(
        _ record: EditRecord, to row: inout LocalItem, at now: Timestamp, _ transaction: MetadataTransaction
    ) throws -> SeenContent? {
        let base = record.isWritten ? try rebase(row, overwritten: record.overwriting, transaction) : nil
        record.apply(to: &row, at: now)
        return base
    }

    /// Notes that the row has a record. Not before the commit: if the disk refused it, the next check or the close has
    /// to find the difference again.
    func noteRecorded(_ record: EditRecord, _ state: inout OpenFile.State) {
        if record.attributes != nil { state.unrecorded = nil }
        guard record.isWritten else { return }
        (state.baseline, state.hasNotedEdit) = (record.blob, true)
        (state.unread, state.overwriting) = (nil, nil)
    }
}
