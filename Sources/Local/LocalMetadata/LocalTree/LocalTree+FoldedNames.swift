package import CloudModel
import ContainerLog
import GRDB

import struct Foundation.Data

/// Finds names equal but for case and composition, with the table `foldedName`: an index, with rows only for containers
/// that compare names so. Every row found is compared again, so a wrong one does no harm.
extension LocalTree {
    /// Whether a container compares names without case: its log says so, or an unsent declaration of this device.
    package func foldsNames(in container: ContainerID) throws -> Bool { try declarations(of: container).foldsNames }

    /// Returns another item of a folder whose name differs from `name` in case and composition only, in a container
    /// that compares names so; nil if there is none.
    package func item(
        foldingTo name: ItemName, in folder: LocalItem, besides node: NodeID? = nil
    ) throws -> LocalItem? {
        guard try foldsNames(in: folder.container) else { return nil }
        let key = NameKey(name, folding: true)
        let found: [LocalItem] = try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local
            WHERE node IN (SELECT node FROM foldedName WHERE parent = ? AND key = ?)
            """, [Int64(bitPattern: folder.node.value), Data(key.bytes)])
        return found.first {
            $0.parent == folder.node && $0.node != node && NameKey($0.name, folding: true) == key
        }
    }

    /// The number of entries of the index, in all containers.
    package func foldedNameCount() throws -> Int64 { try number("SELECT count(*) FROM foldedName") }

    /// Enters an item into the index. Triggers remove the entry with the item, and update its folder and its node.
    func indexFoldedName(of item: LocalItem, _ node: NodeID) throws {
        guard try foldsNames(in: item.container) else { return }
        try run(
            "INSERT OR REPLACE INTO foldedName (node, parent, key) VALUES (?, ?, ?)",
            [
                Int64(bitPattern: node.value), Int64(bitPattern: item.parent.value),
                Data(NameKey(item.name, folding: true).bytes),
            ])
    }

    func reindexFoldedName(from old: LocalItem, to item: LocalItem) throws {
        if try old.container != item.container && foldsNames(in: old.container) {
            try run("DELETE FROM foldedName WHERE node = ?", [Int64(bitPattern: item.node.value)])
        }
        try indexFoldedName(of: item, item.node)
    }

    /// Enters all items of a container when it begins to fold names; removes them when it ceases to.
    func indexFoldedNames(of container: ContainerID) throws {
        guard try foldsNames(in: container) else {
            return try run(
                "DELETE FROM foldedName WHERE node IN (SELECT node FROM local WHERE container = ?)", [container.value])
        }
        var last = NodeID(0)
        while true {
            let (items, unreadable) = try fetchReadable(
                "SELECT \(LocalItem.selection) FROM local WHERE container = ? AND node > ? ORDER BY node LIMIT 500",
                [container.value, Int64(bitPattern: last.value)])
            for item in items { try indexFoldedName(of: item, item.node) }
            guard let end = (items.suffix(1).map(\.node) + unreadable.suffix(1)).max() else { return }
            last = end
        }
    }
}
