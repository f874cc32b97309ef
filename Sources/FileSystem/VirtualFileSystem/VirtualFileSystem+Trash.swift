import Basics
import CloudModel
import Glibc
import LocalMetadata

/// Moves into and out of the trash in the mount's root. An item in the trash stays on this device; it keeps its
/// original container, because its bytes may exist only there.
extension VirtualFileSystem {
    /// Returns whether a folder is the trash, or inside it.
    func isInTrash(_ folder: LocalItem, _ transaction: MetadataTransaction) throws -> Bool {
        guard folder.isExcluded else { return false }
        var current = folder
        // Corrupt rows may form a cycle; no path has more folders than this.
        for _ in 0..<4096 where current.parent != .root {
            guard let above = try transaction.local.item(current.parent) else { return false }
            current = above
        }
        return current.parent == .root && current.item != .root
    }

    /// Prepares an item and its content for a move out of the trash: it becomes part of the target's container and, if
    /// an item of that name was deleted there, takes over its identity.
    ///
    /// - Throws: `EXDEV` for missing bytes in a different container: mv(1) then copies.
    /// - Returns: The item as its row is now.
    func leaveTrash(
        _ item: LocalItem, into folder: LocalItem, named name: ItemName, replacing target: LocalItem?,
        _ transaction: MetadataTransaction
    ) throws -> LocalItem {
        try transaction.local.forEach(below: item) { each in
            let moves = each.container != folder.container
            guard !moves || each.kind != .file || each.isMaterialised else { throw Errno(EXDEV) }
        }
        try transaction.local.forEach(below: item) { each in try enter(folder.container, each, transaction) }
        let exclusion = try exclusion(of: item.kind, name, in: folder, transaction)
        if exclusion == .none, item.exclusion != .byAttribute, target == nil {
            try reclaim(item.node, named: name, in: folder.item, transaction)
        }
        return try existing(item.node, transaction)
    }

    private func enter(_ container: ContainerID, _ old: LocalItem, _ transaction: MetadataTransaction) throws {
        guard old.container != container else { return }
        var item = old
        item.container = container
        item.item = newID()
        // Chunks belong to a container, so the bytes are sent again.
        if item.kind == .file {
            item.content = nil
            item.isEdited = true
            item.presence = .whole
            item.ranges = []
        }
        try transaction.local.update(item)
    }

    /// Gives an item and its content the ids of the items deleted at its new place, so the item keeps its history.
    private func reclaim(
        _ node: NodeID, named name: ItemName, in parent: ItemID, _ transaction: MetadataTransaction
    ) throws {
        var pending = [(node: node, name: name, parent: parent)]
        while let next = pending.popLast() {
            guard var item = try transaction.local.item(next.node), let kind = item.kind.cloudKind, !item.isKnown else {
                continue
            }
            let deleted = try transaction.history.deletedItems(of: next.name, in: next.parent, item.container)
                .filter { $0.departure == nil && $0.kind == kind }
                .max { ($0.time ?? .zero) < ($1.time ?? .zero) }
            guard let deleted else { continue }
            if try transaction.synced.item(deleted.id, in: item.container) != nil {
                try transaction.synced.setAbsent(deleted.id, in: item.container)
            }
            item.item = deleted.id
            try transaction.local.update(item)
            guard item.kind == .folder else { continue }
            for child in try transaction.local.children(of: item.node, limit: .max) {
                pending.append((child.node, child.name, deleted.id))
            }
        }
    }
}
