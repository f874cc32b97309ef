import Basics
import CloudModel
import Glibc
import LocalContent
package import LocalMetadata
import Synchronization

extension VirtualFileSystem {
    /// `unlink(2)`. Open handles keep the bytes. Removing a conflict sibling resolves its version: it is discarded.
    package func removeFile(_ bytes: [UInt8], in parent: NodeID) throws {
        let name = try Self.name(bytes)
        let removed = try removing { transaction in
            _ = try folder(parent, transaction)
            try requireKnown(name, in: parent)
            guard let item = try transaction.local.item(named: name, in: parent) else { throw Errno(ENOENT) }
            guard item.kind != .folder else { throw Errno(EISDIR) }
            try depart(item, transaction)
            try transaction.local.touch(parent, at: time.now())
            return item
        }
        letGo(removed)
    }

    /// `rmdir(2)` of an empty folder.
    package func removeFolder(_ bytes: [UInt8], in parent: NodeID) throws {
        let name = try Self.name(bytes)
        guard parent != .root else { return try removeTopFolder(name) }
        _ = try removing { transaction in
            try requireKnown(name, in: parent)
            guard let item = try transaction.local.item(named: name, in: parent) else { throw Errno(ENOENT) }
            guard item.kind == .folder else { throw Errno(ENOTDIR) }
            guard try !transaction.local.hasChildren(item.node) else { throw Errno(ENOTEMPTY) }
            guard !item.item.isWellKnown else { throw Errno(EPERM, "Documents belongs to its container") }
            try depart(item, transaction)
            try transaction.local.touch(parent, at: time.now())
            return item
        }
        source.localTreeChanged()
    }

    private func removing(_ body: (MetadataTransaction) throws -> LocalItem) throws -> LocalItem {
        try naming.shared {
            let item = try metadata.write(.freeing, body)
            observer?.happened(.removed(item))
            return item
        }
    }

    /// Removes an item from the tree and records the pending log entries about it.
    func depart(_ item: LocalItem, _ transaction: MetadataTransaction) throws {
        try removeRow(of: item, transaction)
        try vacate(item, transaction, at: time.now())
        if let conflict = item.conflict {
            try transaction.pending.insert(
                Resolution(container: item.container, item: conflict.document, version: conflict.version))
        } else if item.isKnown {
            try leaveDeparture(of: item, transaction)
        }
    }

    /// Removes an item's row, and notes the item for programs holding it.
    func removeRow(of item: LocalItem, _ transaction: MetadataTransaction) throws {
        try transaction.local.remove(item.node)
        transaction.whenEnded { [removed] in if $0 { removed.insert(item) } }
    }

    /// Records that an item known to the cloud is gone from its place.
    ///
    /// - Parameter isDraft: Whether it took over the identity of a document.
    func leaveDeparture(of item: LocalItem, isDraft: Bool = false, _ transaction: MetadataTransaction) throws {
        try noteDeparture(of: item, transaction)
        recentDepartures.withLock { $0.note(item, isDraft: isDraft, at: time.now()) }
        try transaction.pending.insert(
            Departure(
                container: item.container, item: item.item, parent: item.parent, name: item.name, kind: item.kind,
                time: time.now()))
    }

    /// Keeps a rowless item's bytes while handles are open, and removes them otherwise.
    func letGo(_ item: LocalItem) {
        if !keepOpenBytes(of: item), item.kind == .file, item.presence != .none { removal.remove(item.blob) }
        source.localTreeChanged()
    }

    private func keepOpenBytes(of item: LocalItem) -> Bool {
        guard let file = openFiles[item.node] else { return false }
        let isOpen = file.state.withLock { state in
            // An open too late for the row has failed, or found the item among the removed ones.
            guard state.bytes != nil else { return false }
            withdrawClose(of: file, &state)
            state.session.unlinked()
            state.item?.changed = time.now()
            return true
        }
        settleCloses()
        return isOpen
    }
}
