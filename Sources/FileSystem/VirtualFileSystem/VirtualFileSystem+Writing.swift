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
                let isThere = try updateRow(of: &state) { row, _, _ in
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

    /// Checks whether the blob was written since ``beginWriting(_:)`` and, if so, records the edit.
    func finishWriting(_ state: inout OpenFile.State) throws {
        guard !state.isUnlinked, let item = state.item else { return }
        guard state.download == nil else {
            _ = try updateRow(of: &state) { row, _, _ in row.isWriting = false }
            return
        }
        let written = try writtenStatus(state)
        let now = time.now()
        var base: SeenContent?
        let isThere = try updateRow(of: &state) { row, state, transaction in
            if let written {
                base = try rebase(row, overwritten: state.overwriting, transaction)
                Self.noteEdit(written, &row)
            }
            try applyUnrecorded(state, to: &row)
            row.isWriting = false
            if row.isEdited { markPending(&row, at: now) }
        }
        state.unrecorded = nil
        guard isThere else { return }
        if written != nil {
            finishOverwriting(&state, base)
            state.hasNotedEdit = true
            observer?.happened(.changed(item.node))
        }
        source.localTreeChanged()
    }

    /// Returns the blob's current status if it differs from the status when writing began.
    func writtenStatus(_ state: borrowing OpenFile.State) throws -> BlobStatus? {
        guard state.descriptor >= 0, let baseline = state.baseline else { return nil }
        let blob = try BlobStatus(descriptor: state.descriptor)
        return blob.hasSameContent(as: baseline) ? nil : blob
    }

    static func noteEdit(_ blob: BlobStatus, _ row: inout LocalItem) {
        row.isEdited = true
        // The written content is whole; an empty file may have had no blob before.
        row.presence = .whole
        row.content = nil
        row.size = blob.size
        row.attributes.modified = blob.modified
        row.changed = max(row.changed, blob.changed)
        row.uploadError = nil
    }
}
