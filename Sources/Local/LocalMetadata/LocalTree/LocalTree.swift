package import CloudModel
import GRDB

import struct Foundation.Data

/// The mount's items, in the table `local`: a row for each node.
///
/// A node is an inode number of the mount and is never reused; an item of a container has at most one node. Every write
/// uses ``insert(_:)``, ``update(_:)``, ``remove(_:)`` or the few more in `LocalTree+Changes`: they record changes not
/// visible in the rows for ``RowChanges``, and keep ``TransactionMemory`` consistent.
package struct LocalTree: MetadataTable {
    let transaction: MetadataTransaction

    package func item(_ node: NodeID) throws -> LocalItem? {
        if let known = memory.rows?[node] { return known }
        return try fetchOne(LocalItem.query, [Int64(bitPattern: node.value)])
    }

    package func item(named name: ItemName, in parent: NodeID) throws -> LocalItem? {
        try fetchOne(LocalItem.queryByName, [Int64(bitPattern: parent.value), name.bytes])
    }

    package func item(_ id: ItemID, in container: ContainerID) throws -> LocalItem? {
        try fetchOne(
            "SELECT \(LocalItem.selection) FROM local WHERE container = ? AND item = ?", [container.value, id.data])
    }

    /// Returns the node of an item; nil if there is none.
    package func node(of id: ItemID, in container: ContainerID) throws -> NodeID? {
        try optionalNumber("SELECT node FROM local WHERE container = ? AND item = ?", [container.value, id.data]).map {
            NodeID(UInt64(bitPattern: $0))
        }
    }

    /// Returns the item of a node; nil if there is no such node.
    package func identity(of node: NodeID) throws -> ItemID? {
        var id: ItemID?
        try db.forEachRow("SELECT item FROM local WHERE node = ?", [Int64(bitPattern: node.value)]) { columns in
            id = try ItemID(data: columns.data(0))
            return false
        }
        return id
    }

    /// Returns the highest node; zero if there is none.
    package func lastNode() throws -> NodeID {
        NodeID(UInt64(try optionalNumber("SELECT max(node) FROM local") ?? 0))
    }

    /// Returns children in the order of their nodes, behind `node`: the order is stable while children are added and
    /// removed.
    package func children(of parent: NodeID, after node: NodeID = NodeID(0), limit: Int) throws -> [LocalItem] {
        try fetchAll(
            "SELECT \(LocalItem.selection) FROM local WHERE parent = ? AND node > ? ORDER BY node LIMIT ?",
            [Int64(bitPattern: parent.value), Int64(bitPattern: node.value), limit])
    }

    /// As ``children(of:after:limit:)``, without unreadable rows, whose nodes are returned separately.
    package func readableChildren(
        of parent: NodeID, after node: NodeID = NodeID(0), limit: Int
    ) throws -> (items: [LocalItem], unreadable: [NodeID]) {
        try fetchReadable(
            "SELECT \(LocalItem.selection) FROM local WHERE parent = ? AND node > ? ORDER BY node LIMIT ?",
            [Int64(bitPattern: parent.value), Int64(bitPattern: node.value), limit])
    }

    package func hasChildren(_ parent: NodeID) throws -> Bool {
        try number("SELECT EXISTS (SELECT 1 FROM local WHERE parent = ?)", [Int64(bitPattern: parent.value)]) != 0
    }

    /// Visits an item and, for a folder, all its descendants, page by page.
    package func forEach(below item: LocalItem, _ body: (LocalItem) throws -> Void) throws {
        try body(item)
        guard item.kind == .folder else { return }
        var folders = [item.node]
        while let folder = folders.popLast() {
            var last = NodeID(0)
            while case let children = try children(of: folder, after: last, limit: 500), !children.isEmpty {
                for child in children {
                    last = child.node
                    if child.kind == .folder { folders.append(child.node) }
                    try body(child)
                }
            }
        }
    }

    /// Returns the names from the container's folder down to the item; empty if the item does not exist.
    package func path(of node: NodeID) throws -> [ItemName] {
        var names: [ItemName] = []
        var current = node
        while current != .root, let item = try item(current), names.count < 4096 {
            names.append(item.name)
            current = item.parent
        }
        return names.reversed()
    }

    /// Returns the folder at these names as shown in the mount; nil if there is none.
    package func folder(at names: [[UInt8]]) throws -> LocalItem? {
        var folder: LocalItem?
        for bytes in names {
            guard let name = try? ItemName(bytes: bytes),
                let next = try item(named: name, in: folder?.node ?? .root), next.kind == .folder
            else { return nil }
            folder = next
        }
        return folder
    }

    /// Returns whether `node` is `ancestor` or is below it.
    package func isInside(_ node: NodeID, _ ancestor: NodeID) throws -> Bool {
        var current = node
        for _ in 0..<4096 {
            if current == ancestor { return true }
            guard current != .root, let item = try item(current) else { return false }
            current = item.parent
        }
        return false
    }
}
