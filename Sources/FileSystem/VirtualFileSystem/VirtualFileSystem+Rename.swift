import Basics
import CloudModel
import Glibc
package import LocalMetadata
import Synchronization

extension VirtualFileSystem {
    /// `rename(2)`. A new file renamed over a document takes over the document's identity and history: this is how
    /// editors save.
    package func rename(
        _ oldBytes: [UInt8], in oldParent: NodeID, to newBytes: [UInt8], in newParent: NodeID, mode: RenameMode
    ) throws {
        let oldName = try Self.name(oldBytes)
        let newName = try Self.name(newBytes)
        if oldParent == .root, newParent == .root { return try renameTopFolder(oldName, to: newName, mode: mode) }
        let now = time.now()
        let (moves, replaced) = try naming.shared {
            var base: SeenContent?
            let (moves, replaced) = try changeRows { transaction in
                try rename(oldName, in: oldParent, to: newName, in: newParent, mode: mode, &base, transaction, at: now)
            }
            if let base { note(base, at: DocumentPlace(newParent, newName)) }
            if let replaced, let move = moves.first {
                observer?.happened(.replaced(replaced, with: move.item))
            } else {
                for move in moves { observer?.happened(.moved(move.item, to: move.parent, name: move.name)) }
            }
            return (moves, replaced)
        }
        for move in moves {
            openFiles[move.item.node]?.state.withLock { state in
                guard let changed = state.item?.changed else { return }
                state.item?.changed = max(changed, now)
            }
        }
        if let replaced, replaced.kind != .folder { letGo(replaced) }
        source.localTreeChanged()
    }

    /// An item as it was before the move, with its new folder and name.
    private typealias Move = (item: LocalItem, parent: NodeID, name: ItemName)

    /// Returns the renamed items, and the replaced items. `base` becomes the base of an edit by renaming.
    private func rename(
        _ oldName: ItemName, in oldParent: NodeID, to newName: ItemName, in newParent: NodeID, mode: RenameMode,
        _ base: inout SeenContent?, _ transaction: MetadataTransaction, at now: Timestamp
    ) throws -> (moves: [Move], replaced: LocalItem?) {
        let from = try folder(oldParent, transaction)
        let into = try folder(newParent, transaction)
        try requireKnown(oldName, in: oldParent)
        try requireKnown(newName, in: newParent)
        let isIntoTrash = try isInTrash(into, transaction)
        let isOutOfTrash = try !isIntoTrash && isInTrash(from, transaction)
        // mv(1) then copies and deletes: ids are unique inside a container only.
        guard from.container == into.container || isIntoTrash || isOutOfTrash else { throw Errno(EXDEV) }
        guard var item = try transaction.local.item(named: oldName, in: oldParent) else { throw Errno(ENOENT) }
        let target = try transaction.local.item(named: newName, in: newParent)
        if let target, target.node == item.node { return ([], nil) }
        try checkRename(item, over: target, into: into, mode: mode, transaction)
        if target == nil { try checkFolding(newName, in: into, besides: item.node, transaction) }
        if isIntoTrash || isOutOfTrash {
            guard mode != .exchange || item.container == target?.container else { throw Errno(EXDEV) }
            if isOutOfTrash { item = try leaveTrash(item, into: into, named: newName, replacing: target, transaction) }
        }
        if mode == .exchange, let target {
            try exchange((item, from), (target, into), transaction, at: now)
            return ([(item, newParent, newName), (target, oldParent, oldName)], nil)
        }
        base = try move(item, to: newName, in: into, replacing: target, transaction, at: now)
        return ([(item, newParent, newName)], target)
    }

    private func checkRename(
        _ item: LocalItem, over target: LocalItem?, into folder: LocalItem, mode: RenameMode,
        _ transaction: MetadataTransaction
    ) throws {
        guard !item.item.isWellKnown else { throw Errno(EPERM, "Documents belongs to its container") }
        if item.kind == .folder, try transaction.local.isInside(folder.node, item.node) { throw Errno(EINVAL) }
        guard let target else {
            if mode == .exchange { throw Errno(ENOENT) }
            return
        }
        switch mode {
        case .noReplace: throw Errno(EEXIST)
        case .exchange:
            guard !target.item.isWellKnown, !item.isConflictSibling, !target.isConflictSibling else {
                throw Errno(EPERM)
            }
            if target.kind == .folder, try transaction.local.isInside(item.node, target.node) { throw Errno(EINVAL) }
        case .replace:
            if target.kind == .folder {
                guard item.kind == .folder else { throw Errno(EISDIR) }
                guard try !transaction.local.hasChildren(target.node) else { throw Errno(ENOTEMPTY) }
                guard !target.item.isWellKnown else { throw Errno(EPERM) }
            } else if item.kind == .folder {
                throw Errno(ENOTDIR)
            }
        }
    }

    private func move(
        _ old: LocalItem, to name: ItemName, in folder: LocalItem, replacing target: LocalItem?,
        _ transaction: MetadataTransaction, at now: Timestamp
    ) throws -> SeenContent? {
        var base: SeenContent?
        var emptied: NodeID?
        var item = old
        item.parent = folder.node
        item.name = name
        item.changed = now
        try leaveConflict(&item, transaction)
        let wasExcluded = item.isExcluded
        item.exclusion = try exclusion(ofMoved: old, to: name, in: folder, replacing: target, transaction)
        if let target {
            // Renaming a version in conflict over its document decides between the two.
            if isSave(item, from: old, over: target, at: now), !old.isConflictSibling {
                base = try rebase(target, on: seen(at: DocumentPlace(of: target)), transaction)
            }
            try removeRow(of: target, transaction)
            try succeed(target, &item, from: old, transaction, at: now)
        } else {
            (base, emptied) = try takePlace(&item, from: old, transaction, at: now)
        }
        if item.isExcluded, !wasExcluded, item.kind != .folder { try leaveSync(&item, from: old, transaction) }
        item.markPending(at: now)
        // The last close records current writes; a change settled while the file stays open is already queued, and
        // stays queued.
        if !item.isExcluded, item.isWriting, item.isEdited, old.pendingSince == nil { item.pendingSince = nil }
        try transaction.local.update(item, from: old)
        if item.kind == .folder, item.isExcluded != wasExcluded {
            try spreadExclusion(item, from: old, transaction, at: now)
        }
        if let emptied { try handOnContents(of: emptied, to: item.node, transaction, at: now) }
        try vacate(old, isAside: isAside(item, from: old), transaction, at: now)
        try transaction.local.touch(old.parent, at: now)
        if folder.node != old.parent { try transaction.local.touch(folder.node, at: now) }
        guard item.kind == .file, !old.isKnown else { return nil }
        return base ?? (item.isKnown ? nil : SeenContent(item: item.item, content: nil))
    }

    /// Turns a renamed conflict sibling into a separate document.
    private func leaveConflict(_ item: inout LocalItem, _ transaction: MetadataTransaction) throws {
        item.packageConflict = nil
        guard let conflict = item.conflict else { return }
        try transaction.pending.insert(
            Resolution(container: item.container, item: conflict.document, version: conflict.version))
        becomeDocument(&item)
    }

    func becomeDocument(_ sibling: inout LocalItem) {
        sibling.conflict = nil
        // The sibling's own id belongs to the version: remote devices still show the version under that id.
        sibling.item = newID()
        sibling.isKnown = false
        sibling.attributes.permissions |= 0o200
    }

    /// Returns whether a document was renamed within its folder, and is still in sync.
    private func isAside(_ item: LocalItem, from old: LocalItem) -> Bool {
        item.kind == .file && old.isKnown && item.item == old.item && item.parent == old.parent && !item.isExcluded
    }
}
