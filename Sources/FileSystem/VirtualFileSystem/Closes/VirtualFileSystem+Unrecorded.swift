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
        var waiting: ClosedFiles.Action?
        defer { if let waiting { carryOut(waiting) } else { letGo(file) } }
        try file.state.withLock { state in
            if try keepUnrecorded(changes, of: file, &state, &waiting) { return }
            try changeRow(changes, of: file.node, &state)
        }
    }

    /// Keeps changes of attributes for the record of the file's close.
    ///
    /// - Parameter waiting: The action for ``carryOut(_:)`` if the close is already waiting: the claim of `file` passes
    ///   on to a new close.
    /// - Returns: Whether they were kept; false if the row has to be changed immediately.
    private func keepUnrecorded(
        _ changes: AttributeRequest, of file: OpenFile, _ state: inout OpenFile.State,
        _ waiting: inout ClosedFiles.Action?
    ) throws -> Bool {
        guard case .gathered = closing, state.writers > 0 || state.waitingClose != nil, !state.isUnfinished,
            !state.isUnlinked, state.download == nil, state.descriptor >= 0, let old = state.item, old.isWriting,
            old.isEdited, !old.isKnown, !old.isConflictSibling
        else { return false }
        var item = old
        try apply(changes, to: &item)
        item.pendingSince = old.pendingSince
        guard let attributes = try unrecorded(changes, item, old, &state),
            try content.set(attributes, descriptor: state.descriptor)
        else { return false }
        if let close = state.waitingClose {
            // From here on no transaction records the old close.
            guard close.withdrawWaiting() else { return false }
            var record = close.record
            (record.blob, record.attributes) = (try BlobStatus(descriptor: state.descriptor), attributes)
            let next = WaitingClose(of: file, record, since: close.since)
            state.waitingClose = next
            waiting = closes.add(next)
        }
        state.unrecorded = attributes
        state.item = item
        return true
    }

    /// Returns the attributes to keep, and sets the blob's time; nil if that would hide a write.
    private func unrecorded(
        _ changes: AttributeRequest, _ item: LocalItem, _ old: LocalItem, _ state: inout OpenFile.State
    ) throws -> UnrecordedAttributes? {
        var attributes = state.unrecorded ?? UnrecordedAttributes(changed: item.changed)
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
        guard try BlobStatus(descriptor: state.descriptor).size != state.baseline?.size else { return nil }
        let time = item.attributes.modified
        try LocalContent.setModified(time, descriptor: state.descriptor)
        let blob = try BlobStatus(descriptor: state.descriptor)
        attributes.modified = UnrecordedAttributes.Modified(time: time, ofBlob: blob.modified)
        return attributes
    }
}
