import Basics
import CloudModel
import LocalContent
import LocalMetadata
import Synchronization

/// Attributes of new files set before their close is recorded, as by `cp -a`, `tar` and `rsync`: they are recorded with
/// it.
///
/// Until then the blob keeps them, so a start after a crash finds the result of every returned call. Limited to files
/// unknown to other devices: nothing but their own close changes their attributes.
extension VirtualFileSystem {
    /// Changes attributes of an open file, or of a file with a waiting close.
    ///
    /// - Parameter file: A claim of it, passed on to this call.
    func setAttributes(ofOpen file: OpenFile, _ changes: AttributeRequest) throws {
        defer { letGo(file) }
        try file.state.withLock { state in
            if try !keepUnrecorded(changes, of: file, &state) { try changeRow(changes, of: file, &state) }
        }
    }

    /// Keeps changes of attributes for the record of the file's close.
    ///
    /// - Returns: Whether they were kept; false if the row has to be changed immediately.
    private func keepUnrecorded(
        _ changes: AttributeRequest, of file: OpenFile, _ state: inout OpenFile.State
    ) throws -> Bool {
        var session = state.session
        guard case .gathered = closing, session.writers > 0 || session.isWaiting, !session.isUnlinked,
            state.download == nil, state.descriptor >= 0, let old = state.item, old.isWriting, old.isEdited,
            !old.isKnown, !old.isConflictSibling
        else { return false }
        var item = old
        try apply(changes, to: &item)
        item.pendingSince = old.pendingSince
        guard let attributes = try unrecorded(changes, item, old, state),
            try content.set(attributes, descriptor: state.descriptor)
        else { return false }
        session.keeps(attributes, session.isWaiting ? try BlobStatus(descriptor: state.descriptor) : nil)
        if case .waiting(let record) = session.phase {
            guard recorder.withLock({ $0.replace(record, of: file) }) else { return false }
        }
        (state.session, state.item) = (session, item)
        return true
    }

    /// Returns the attributes to keep, and sets the blob's time; nil if that would hide a write.
    private func unrecorded(
        _ changes: AttributeRequest, _ item: LocalItem, _ old: LocalItem, _ state: borrowing OpenFile.State
    ) throws -> UnrecordedAttributes? {
        var attributes = state.session.attributes ?? UnrecordedAttributes(changed: item.changed)
        attributes.changed = item.changed
        if item.attributes.permissions != old.attributes.permissions {
            attributes.permissions = item.attributes.permissions
        }
        if (item.user, item.group) != (old.user, old.group) {
            attributes.owner = UnrecordedAttributes.Owner(user: item.user, group: item.group)
        }
        if changes.accessed != nil { attributes.accessed = item.accessed }
        guard changes.modified != nil else { return attributes }
        // A different size distinguishes the file from its row, whatever its time.
        guard try BlobStatus(descriptor: state.descriptor).size != state.session.baseline?.size else { return nil }
        let time = item.attributes.modified
        try LocalContent.setModified(time, descriptor: state.descriptor)
        let blob = try BlobStatus(descriptor: state.descriptor)
        attributes.modified = UnrecordedAttributes.Modified(time: time, ofBlob: blob.modified)
        return attributes
    }
}
