import Basics
package import CloudModel
package import ContainerLog
import GRDB

import struct Foundation.Data

/// Finds deleted items by their former paths.
extension ItemHistory {
    /// Returns deleted items formerly at these names below the mount's root, newest first. The path's folders may be
    /// deleted too, even several times.
    package func deletedItems(at names: [[UInt8]]) throws -> [DeletedItem] {
        let path = names.compactMap { try? ItemName(bytes: $0) }
        guard path.count == names.count, path.count > 1, let last = path.last,
            let root = try transaction.local.item(named: path[0], in: .root), root.item == .root
        else { return [] }
        var folders: Set<ItemID> = [.root]
        for name in path.dropFirst().dropLast() {
            folders = try Set(folders.flatMap { try self.folders(named: name, in: $0, root.container) })
            // A path whose folder was deleted this often in a month has no documents.
            guard folders.count <= 1_000 else { return [] }
        }
        let found = try folders.flatMap { try deletedItems(of: last, in: $0, root.container) }
        return found.sorted { ($0.time ?? .zero, $0.id) > ($1.time ?? .zero, $1.id) }
    }

    /// Returns the folders that have or had that name: those in the mount, those in the log, and deleted ones.
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

    /// Returns deleted items formerly of this name in this folder, the last deleted first. Scans all items ever in the
    /// log: slow, for interactive requests only.
    package func deletedItems(named name: ItemName, in parent: ItemID, _ container: ContainerID) throws -> [CloudItem] {
        try fetchAll(
            """
            SELECT \(CloudItem.selection) FROM remote
            WHERE container = ? AND parent = ? AND name = ? AND isDeleted = 1 AND kind = 1
            ORDER BY sequence DESC LIMIT 10
            """, [container.value, parent.data, name.data])
    }

    /// Returns the names from the container's folder down to the item's former place; nil if the log does not have it
    /// because it is damaged, or of a hostile device.
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
