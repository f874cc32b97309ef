package import Basics
package import CloudModel
import GRDB

import struct Foundation.Data

/// The local tree, item by item.
extension MetadataTransaction {
    package func item(_ node: NodeID) throws -> LocalItem? {
        try fetchOne(LocalItem.query, [Int64(bitPattern: node.value)])
    }

    /// The highest number that an item has; zero if there is none.
    package func lastNode() throws -> NodeID {
        NodeID(UInt64(try optionalNumber("SELECT max(node) FROM local") ?? 0))
    }

    package func item(named name: ItemName, in parent: NodeID) throws -> LocalItem? {
        try fetchOne(
            "SELECT \(LocalItem.selection) FROM local WHERE parent = ? AND name = ?",
            [Int64(bitPattern: parent.value), name.data])
    }

    package func item(_ id: ItemID, in container: ContainerID) throws -> LocalItem? {
        try fetchOne(
            "SELECT \(LocalItem.selection) FROM local WHERE container = ? AND item = ?", [container.value, id.data])
    }

    /// The node that shows an item; nil where none does.
    package func node(of id: ItemID, in container: ContainerID) throws -> NodeID? {
        try optionalNumber("SELECT node FROM local WHERE container = ? AND item = ?", [container.value, id.data]).map {
            NodeID(UInt64(bitPattern: $0))
        }
    }

    /// Which item a node shows; nil where there is no such node.
    package func identity(of node: NodeID) throws -> ItemID? {
        try Data.fetchOne(
            db.cachedStatement(sql: "SELECT item FROM local WHERE node = ?"),
            arguments: [Int64(bitPattern: node.value)]
        ).map(ItemID.init(data:))
    }

    /// Children in the order of their nodes, behind `node`: the order stays while others come and go.
    package func children(of parent: NodeID, after node: NodeID = NodeID(0), limit: Int) throws -> [LocalItem] {
        try fetchAll(
            "SELECT \(LocalItem.selection) FROM local WHERE parent = ? AND node > ? ORDER BY node LIMIT ?",
            [Int64(bitPattern: parent.value), Int64(bitPattern: node.value), limit])
    }

    /// As ``children(of:after:limit:)``, without rows that cannot be read, whose nodes come apart.
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

    /// Inserts a row.
    ///
    /// - Returns: The node that it got.
    @discardableResult
    package func insert(_ item: LocalItem) throws -> NodeID {
        if item.isConflictSibling { memory.hasSiblings = true }
        notePause(of: item, was: false)
        if item.item == .root { noteRoot(of: item.container, nil, item.attributes) }
        try db.perform(LocalItem.insertion, values: item.values)
        return NodeID(UInt64(bitPattern: db.lastInsertedRowID))
    }

    /// Writes what differs from the row that is there. An index whose columns stay is not touched then, which is most of the work.
    package func update(_ item: LocalItem) throws {
        guard let old = try self.item(item.node), old != item else { return }
        if item.isConflictSibling { memory.hasSiblings = nil }
        if item.item == .root { noteRoot(of: item.container, old.attributes, item.attributes) }
        notePause(of: item, was: old.isPaused)
        if old.parent != item.parent { memory.leftFolders.insert(old.parent) }
        if item.kind == .folder, (old.parent, old.name) != (item.parent, item.name) {
            memory.movedFolders.insert(item.node)
            guard try !isInside(item.parent, item.node) else {
                throw MetadataError(.damaged, "The folder \(item.name) can not lie in itself; nothing was changed.")
            }
        }
        let (before, after) = (old.values, item.values)
        let changed = after.indices.filter { before[$0] != after[$0] }
        guard !changed.isEmpty else { return }
        try db.perform(
            LocalItem.change(ofColumns: changed),
            values: changed.map { after[$0] } + [.integer(Int64(bitPattern: item.node.value))])
    }

    package func remove(_ node: NodeID) throws {
        if let parent = try optionalNumber("SELECT parent FROM local WHERE node = ?", [Int64(bitPattern: node.value)]) {
            memory.leftFolders.insert(NodeID(UInt64(bitPattern: parent)))
        }
        try run("DELETE FROM local WHERE node = ?", [Int64(bitPattern: node.value)])
    }

    /// Gives the row another node id: for programs it is a new inode, open handles keep the old one.
    package func renumber(_ node: NodeID) throws -> NodeID {
        guard let item = try item(node) else {
            throw MetadataError(.damaged, "There is no item with the number \(node).")
        }
        try remove(node)
        return try insert(item)
    }

    /// Gives every child of one folder to another.
    package func moveChildren(of old: NodeID, to new: NodeID) throws {
        memory.movedFolders.insert(new)
        memory.leftFolders.insert(old)
        try run(
            "UPDATE local SET parent = ? WHERE parent = ?",
            [Int64(bitPattern: new.value), Int64(bitPattern: old.value)])
    }

    /// Sets the times of a folder whose entries changed; they are synced with its next change.
    package func touch(_ folder: NodeID, at time: Timestamp) throws {
        try run(
            """
            UPDATE local SET modified = ?, changed = ?,
              pendingSince = CASE WHEN isExcluded THEN NULL ELSE ? END WHERE node = ?
            """, [time.nanoseconds, time.nanoseconds, time.nanoseconds, Int64(bitPattern: folder.value)])
    }

    /// The names from the container's folder down to the item; empty for an item that does not exist.
    package func path(of node: NodeID) throws -> [ItemName] {
        var names: [ItemName] = []
        var current = node
        while current != .root, let item = try item(current), names.count < 4096 {
            names.append(item.name)
            current = item.parent
        }
        return names.reversed()
    }

    /// Whether `node` is `ancestor` or stands below it.
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

extension MetadataTransaction {
    /// Puts a row back under the node it had in this transaction.
    package func restore(_ item: LocalItem) throws {
        let node = try insert(item)
        try run(
            "UPDATE local SET node = ? WHERE node = ?",
            [Int64(bitPattern: item.node.value), Int64(bitPattern: node.value)])
    }
}
