import Basics
package import CloudModel
package import ContainerLog
import GRDB

import struct Foundation.Data

/// Deleted items by the path that they had.
extension ItemHistory {
    /// Deleted items that were at these names below the mount's root, the newest first. The folders on the way may be gone, also several
    /// times.
    package func deletedItems(at names: [[UInt8]]) throws -> [DeletedItem] {
        let path = names.compactMap { try? ItemName(bytes: $0) }
        guard path.count == names.count, path.count > 1, let last = path.last,
            let root = try transaction.local.item(named: path[0], in: .root), root.item == .root
        else { return [] }
        var folders: Set<ItemID> = [.root]
        for name in path.dropFirst().dropLast() {
            folders = try Set(folders.flatMap { try self.folders(named: name, in: $0, root.container) })
            // A path whose folder was deleted that often in a month is not of documents.
            guard folders.count <= 1_000 else { return [] }
        }
        let found = try folders.flatMap { try deletedItems(of: last, in: $0, root.container) }
        return found.sorted { ($0.time ?? .zero, $0.id) > ($1.time ?? .zero, $1.id) }
    }

    /// The folders that are or were there: as the mount shows them, as the log has them, and those deleted.
    private func folders(named name: ItemName, in parent: ItemID, _ container: ContainerID) throws -> [ItemID] {
        let tree = transaction.remote(in: container)
        let key = NameKey(name, folding: try tree.state().foldsNames)
        let shown = try transaction.local.node(of: parent, in: container).flatMap {
            try transaction.local.item(named: name, in: $0)?.item
        }
        let live = try tree.child(of: parent, key: key)
        let deleted = try deletedItems(of: name, in: parent, container).filter(\.isFolder).map(\.id)
        return [shown, live].compactMap(\.self) + deleted
    }

    /// Deleted items that had this name in this folder, the one deleted last first. Scans all that the log ever had: slow, for interactive requests only.
    package func deletedItems(named name: ItemName, in parent: ItemID, _ container: ContainerID) throws -> [CloudItem] {
        try fetchAll(
            """
            SELECT \(CloudItem.selection) FROM remote
            WHERE container = ? AND parent = ? AND name = ? AND isDeleted = 1 AND kind = 1
            ORDER BY sequence DESC LIMIT 10
            """, [container.value, parent.data, name.data])
    }

    /// The names from the container's folder down to where the item was. Nil where the log does not say: it is damaged, or of a hostile device.
    package func path(ofDeleted item: DeletedItem) throws -> [ItemName]? {
        let tree = transaction.remote(in: item.container)
        var names = [item.name]
        var parent = item.cloud.parent
        while parent != .root {
            guard names.count < 4096, let folder = try tree.standing(for: parent) else { return nil }
            names.append(folder.name)
            parent = folder.parent
        }
        return names.reversed()
    }
}
