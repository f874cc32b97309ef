package import Basics
import CloudModel
import Glibc
import LocalContent
package import LocalMetadata
import Logging
import Synchronization

/// An item's attributes for `stat(2)`.
package struct NodeAttributes: Sendable, Equatable {
    package var node: NodeID
    package var kind: LocalKind
    package var permissions: UInt16
    package var size: UInt64
    /// 512-byte blocks on this device; at least 1 for a non-empty file, since tools take a file without blocks for a
    /// hole.
    package var blocks: UInt64
    package var links: UInt32
    package var user: UInt32
    package var group: UInt32
    package var accessed: Timestamp
    package var modified: Timestamp
    package var changed: Timestamp
}

extension VirtualFileSystem {
    /// `stat(2)`. For a file open for writing, or with an unrecorded close, size and time are the blob's at this
    /// moment.
    package func attributes(of node: NodeID) throws -> NodeAttributes {
        if node == .root { return rootAttributes() }
        if let file = openFiles[node], let live = try liveAttributes(file) { return live }
        if let item = try metadata.item(node) { return try attributes(of: item) }
        if let file = openFiles[node], let live = try liveAttributes(file, hasNoRow: true) { return live }
        guard let item = removedItem(node) else { throw Errno(ESTALE) }
        var result = attributes(item)
        result.links = 0
        return result
    }

    /// Returns the attributes of an item whose row was just read. While a file is open for writing, its row is out of
    /// date: its open file then provides them, or, if closed since, a second read of the row. The kernel would cache
    /// wrong attributes for an hour.
    func attributes(of item: LocalItem) throws -> NodeAttributes {
        var item = item
        for _ in 0..<4 {
            if item.kind == .file, let file = openFiles[item.node], let live = try liveAttributes(file) { return live }
            guard item.isWriting, let newer = try metadata.item(item.node) else { break }
            item = newer
        }
        return attributes(item)
    }

    /// - Parameter hasNoRow: Whether the row is known to be gone. The open file may not have been notified yet.
    private func liveAttributes(_ file: OpenFile, hasNoRow: Bool = false) throws -> NodeAttributes? {
        try file.state.withLock { state throws -> NodeAttributes? in
            let isUnlinked = state.session.isUnlinked || hasNoRow
            guard let item = state.item, state.descriptor >= 0, isUnlinked || isRowLate(file, state) else {
                return nil
            }
            var result = attributes(item)
            if isUnlinked { result.links = 0 }
            guard state.download == nil else { return result }
            let blob = try BlobStatus(descriptor: state.descriptor)
            result.size = blob.size
            // As after the close has been recorded: the kernel keeps these attributes.
            let isClosed = state.session.writers == 0 && !isUnlinked
            result.blocks =
                isClosed ? (blob.size + 511) / 512 : blob.size == 0 ? blob.blocks : max(1, blob.blocks)
            if let baseline = state.session.baseline, !blob.hasSameContent(as: baseline) {
                result.modified = state.session.attributes?.time(blob) ?? blob.modified
                if item.accessed == nil { result.accessed = blob.modified }
                result.changed = max(result.changed, blob.changed)
            }
            return result
        }
    }

    func attributes(_ item: LocalItem) -> NodeAttributes {
        NodeAttributes(
            node: item.node, kind: item.kind, permissions: item.attributes.permissions, size: shownSize(item),
            blocks: blocks(item), links: 1, user: item.user ?? owner.user, group: item.group ?? owner.group,
            accessed: item.accessed ?? item.attributes.modified, modified: item.attributes.modified,
            changed: item.changed)
    }

    private func shownSize(_ item: LocalItem) -> UInt64 {
        switch item.kind {
        case .file: item.size
        case .symlink: UInt64(item.target.count)
        case .folder: 4096
        case .pipe, .socket: 0
        }
    }

    private func blocks(_ item: LocalItem) -> UInt64 {
        guard item.kind == .file else { return item.kind == .folder ? 8 : 0 }
        let whole = (item.size + 511) / 512
        switch item.presence {
        case .whole: return whole
        case .none: return min(whole, 1)
        case .partial: return max(1, whole / 2)
        }
    }

    private func rootAttributes() -> NodeAttributes {
        NodeAttributes(
            node: .root, kind: .folder, permissions: 0o700, size: 4096, blocks: 8, links: 1, user: owner.user,
            group: owner.group, accessed: startedAt, modified: startedAt, changed: startedAt)
    }

    /// Applies `chmod`, `chown`, `utimensat` and `truncate`; nil attributes stay unchanged.
    ///
    /// - Returns: The attributes afterwards.
    package func setAttributes(of node: NodeID, _ changes: AttributeRequest) throws -> NodeAttributes {
        guard node != .root else { throw Errno(EPERM) }
        // A single "now" for row and blob: a difference at the next start would count as an edit.
        let changes = changes.resolved(at: time.now())
        if let size = changes.size { try truncate(node, to: size) }
        if changes.isTruncationOnly { return try attributes(of: node) }
        if let file = openFiles.claimOpen(node) {
            try setAttributes(ofOpen: file, changes)
        } else if let item = try changeRowOrGone(
            node, gone: { try apply(changes, to: &$0) },
            row: { try updateIfThere(node) { item, _ in try apply(changes, to: &item) } })
        {
            mirrorModified(item)
            notifyIfPending(item)
            return try attributes(of: item)
        }
        return try attributes(of: node)
    }

    /// Changes the row of an open file. Its last close, if still unrecorded, and writes before a new time hides them are
    /// recorded by the same transaction.
    func changeRow(_ changes: AttributeRequest, of file: OpenFile, _ state: inout OpenFile.State) throws {
        withdrawClose(of: file, &state)
        let endsWriting = state.session.phase == .closed
        let needsRecord = changes.modified != nil || endsWriting || state.session.attributes != nil
        let record = needsRecord ? try editRecord(of: state, endsWriting: endsWriting) : EditRecord()
        try commit(changes, with: record, of: file.node, &state)
        // Writes during that transaction are recorded too.
        if changes.modified != nil, case let record = try editRecord(of: state), record.isWritten {
            try commit(changes, with: record, of: file.node, &state)
        }
        try setTime(changes, of: &state)
    }

    private func commit(
        _ changes: AttributeRequest, with record: EditRecord, of node: NodeID, _ state: inout OpenFile.State
    ) throws {
        if try commit(record, of: node, &state, .ordinary, { try apply(changes, to: &$0) }) { return }
        guard var item = state.item else { throw Errno(ESTALE) }
        try apply(changes, to: &item)
        state.item = item
    }

    /// Sets the blob's time as well while handles are open, so later writes are recognised.
    private func setTime(_ changes: AttributeRequest, of state: inout OpenFile.State) throws {
        guard let modified = changes.modified, state.descriptor >= 0, state.download == nil else { return }
        try LocalContent.setModified(modified.value(at: time.now()), descriptor: state.descriptor)
        state.session.baseline = try BlobStatus(descriptor: state.descriptor)
    }

    func apply(_ changes: AttributeRequest, to item: inout LocalItem) throws {
        try checkChangeable(item)
        let now = time.now()
        let permissions = item.attributes.permissions
        if let permissions = changes.permissions { item.attributes.permissions = permissions & 0o7777 }
        if let user = changes.user { item.user = user == owner.user ? nil : user }
        if let group = changes.group { item.group = group == owner.group ? nil : group }
        if changes.mayClearSetID, item.kind != .folder {
            item.attributes.permissions = Self.withoutSetID(item.attributes.permissions)
        }
        if let accessed = changes.accessed { item.accessed = accessed.value(at: now) }
        if let modified = changes.modified { item.attributes.modified = modified.value(at: now) }
        item.changed = now
        if changes.modified != nil || item.attributes.permissions != permissions { item.markPending(at: now) }
    }

    /// - Throws: `EACCES` for a conflict sibling: it is a view of a version, and a change of it would stay on this device.
    func checkChangeable(_ item: LocalItem) throws(Errno) {
        guard !item.isConflictSibling else {
            throw Errno(EACCES, "a conflict version is read-only; copy or rename it")
        }
    }

    /// Removes from `permissions` the bits cleared by a change of owner or a write (chown(2), write(2)): set-user-ID,
    /// and set-group-ID if the group may execute the file.
    package static func withoutSetID(_ permissions: UInt16) -> UInt16 {
        permissions & ~(permissions & 0o010 != 0 ? 0o6000 : 0o4000)
    }

    /// Sets the time of the item's blob. The blob of a closed file has the document's modification time; a mismatch
    /// found at start means an unnoticed write.
    func mirrorModified(_ item: LocalItem) {
        guard item.kind == .file, item.presence == .whole else { return }
        do { try content.setModified(item.attributes.modified, of: item.blob) } catch {
            log.debug("could not set a blob's time; the next open will", metadata: ["node": "\(item.node)"])
        }
    }

    func notifyIfPending(_ item: LocalItem) {
        if item.pendingSince != nil { source.localTreeChanged() }
    }
}
