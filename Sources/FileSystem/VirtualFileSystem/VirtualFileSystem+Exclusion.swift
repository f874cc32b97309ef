import Basics
import CloudModel
import Glibc
import LocalMetadata

/// What stays on this device alone, by its name or its folder.
extension VirtualFileSystem {
    /// Whether an item stays on this device under that name in that folder.
    func stays(_ kind: LocalKind, _ name: ItemName, in folder: LocalItem) -> Bool {
        kind == .pipe || kind == .socket || folder.isExcluded || exclusions.excludes(name)
    }

    /// A document renamed to a name that stays on the device leaves the cloud, unless its name is taken again at once.
    func leaveSync(_ item: inout LocalItem, from old: LocalItem, _ transaction: MetadataTransaction) throws {
        if item.isConflictSibling {
            // Its folder was deleted: the version is not resolved, so other devices keep it, and here a copy stays.
            becomeDocument(&item)
        } else {
            // What was kept or restored after its deletion has an id of the log too: another device may bring it back.
            guard try item.isKnown || transaction.remote(in: item.container).item(item.item) != nil else {
                return
            }
            // Its author still uploads it under this id. A copy under another id would never get its bytes.
            if item.kind == .file, item.size > 0, item.content == nil, !item.isMaterialised {
                throw Errno(EAGAIN, "its bytes have not reached the cloud yet, so they cannot be kept here")
            }
            try leaveDeparture(of: old, transaction)
            item.item = newID()
            item.isKnown = false
        }
        // What stays here must be here.
        if item.kind == .file, !item.isMaterialised { item.wanted = 255 }
    }

    /// Hands a folder's exclusion, or its end, down to what is inside. `old` is the folder at the place that it left.
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
        // The log deletes a folder once nothing is in it, so the deepest leave first.
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
