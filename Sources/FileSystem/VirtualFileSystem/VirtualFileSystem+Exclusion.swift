import Basics
import CloudModel
import Glibc
import LocalMetadata

/// Items that stay on this device alone, because of their name or their folder.
extension VirtualFileSystem {
    /// Returns whether an item stays on this device under that name in that folder.
    func stays(_ kind: LocalKind, _ name: ItemName, in folder: LocalItem) -> Bool {
        kind == .pipe || kind == .socket || folder.isExcluded || exclusions.excludes(name)
    }

    /// Removes a document from the cloud that is renamed to a name that stays on the device, unless its old name is taken again at once.
    func leaveSync(_ item: inout LocalItem, from old: LocalItem, _ transaction: MetadataTransaction) throws {
        if item.isConflictSibling {
            // Its folder was deleted: the version is not resolved, so other devices keep it, and a copy stays here.
            becomeDocument(&item)
        } else {
            // An item that was kept or restored after its deletion has an id of the log too: another device may bring it back.
            guard try item.isKnown || transaction.remote(in: item.container).item(item.item) != nil else {
                return
            }
            // Its author is still uploading it under this id. A copy under another id would never get its bytes.
            if item.kind == .file, item.size > 0, item.content == nil, !item.isMaterialised {
                throw Errno(EAGAIN, "its bytes have not reached the cloud yet, so they cannot be kept here")
            }
            try leaveDeparture(of: old, transaction)
            item.item = newID()
            item.isKnown = false
        }
        // The bytes of an item that stays on this device must be here.
        if item.kind == .file, !item.isMaterialised { item.wanted = 255 }
    }

    /// Passes a folder's exclusion, or the end of it, on to its content. `old` is the folder at its previous place.
    func spreadExclusion(
        _ folder: LocalItem, from old: LocalItem, _ transaction: MetadataTransaction, at now: Timestamp
    ) throws {
        var folders = [folder]
        var next = 0
        while next < folders.count {
            let parent = folders[next]
            next += 1
            var last = NodeID(0)
            while case let children = try transaction.local.children(of: parent.node, after: last, limit: 500),
                !children.isEmpty
            {
                for child in children {
                    last = child.node
                    let changed = try spreadExclusion(of: parent, to: child, transaction, at: now)
                    if changed.kind == .folder { folders.append(changed) }
                }
            }
        }
        // The log deletes a folder once nothing is in it, so the deepest folders leave first.
        for var folder in folders.reversed() where folder.isExcluded {
            try leaveSync(&folder, from: folder.node == old.node ? old : folder, transaction)
            try transaction.local.update(folder)
        }
    }

    private func spreadExclusion(
        of parent: LocalItem, to old: LocalItem, _ transaction: MetadataTransaction, at now: Timestamp
    ) throws -> LocalItem {
        var child = old
        child.isExcluded = stays(child.kind, child.name, in: parent)
        if child.isExcluded, !old.isExcluded, child.kind != .folder { try leaveSync(&child, from: old, transaction) }
        markPending(&child, at: now)
        try transaction.local.update(child)
        return child
    }
}
