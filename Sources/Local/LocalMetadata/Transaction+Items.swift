package import Basics
package import CloudModel
import GRDB

/// The local tree, item by item.
extension MetadataTransaction {
    package func item(_ node: NodeID) throws -> LocalItem? {
        try fetch(LocalItem.query, [Int64(bitPattern: node.value)])
    }

    package func item(named name: ItemName, in parent: NodeID) throws -> LocalItem? {
        try fetch(
            "SELECT \(LocalItem.selection) FROM local WHERE parent = ? AND name = ?",
            [Int64(bitPattern: parent.value), name.data])
    }

    package func item(_ id: ItemID, in container: ContainerID) throws -> LocalItem? {
        try fetch(
            "SELECT \(LocalItem.selection) FROM local WHERE container = ? AND item = ?", [container.value, id.data])
    }

    /// Children in the order of their nodes, behind `node`: the order stays while others come and go.
    package func children(of parent: NodeID, after node: NodeID = NodeID(0), limit: Int) throws -> [LocalItem] {
        try fetchAll(
            "SELECT \(LocalItem.selection) FROM local WHERE parent = ? AND node > ? ORDER BY node LIMIT ?",
            [Int64(bitPattern: parent.value), Int64(bitPattern: node.value), limit])
    }

    package func hasChildren(_ parent: NodeID) throws -> Bool {
        try exists("SELECT 1 FROM local WHERE parent = ? LIMIT 1", [Int64(bitPattern: parent.value)])
    }

    /// Inserts and answers the node it got.
    @discardableResult
    package func insert(_ item: LocalItem) throws -> NodeID {
        try db.perform(LocalItem.insertion, values: item.values)
        return NodeID(UInt64(bitPattern: db.lastInsertedRowID))
    }

    /// Writes what differs from the row that is there. An index whose columns stay is not touched then, which is most of the work.
    package func update(_ item: LocalItem) throws {
        guard let old = try self.item(item.node), old != item else { return }
        let (before, after) = (old.values, item.values)
        let changed = after.indices.filter { before[$0] != after[$0] }
        guard !changed.isEmpty else { return }
        try db.perform(
            LocalItem.change(ofColumns: changed),
            values: changed.map { after[$0] } + [.integer(Int64(bitPattern: item.node.value))])
    }

    package func remove(_ node: NodeID) throws {
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
        try run(
            "UPDATE local SET parent = ? WHERE parent = ?",
            [Int64(bitPattern: new.value), Int64(bitPattern: old.value)])
    }

    /// Sets the times of a folder whose entries changed; sync hears of them with the next change.
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

    // MARK: Plumbing shared by the other verbs

    func fetch(_ sql: String, _ arguments: StatementArguments) throws -> LocalItem? {
        var item: LocalItem?
        try db.forEachRow(sql, arguments) { row in
            item = try LocalItem(row: row)
            return false
        }
        return item
    }

    func fetchAll(_ sql: String, _ arguments: StatementArguments) throws -> [LocalItem] {
        var items: [LocalItem] = []
        try db.forEachRow(sql, arguments) { row in
            items.append(try LocalItem(row: row))
            return true
        }
        return items
    }

    /// Whether the query has a row.
    func exists(_ sql: String, _ arguments: StatementArguments) throws -> Bool {
        var isThere = false
        try db.forEachRow(sql, arguments) { _ in
            isThere = true
            return false
        }
        return isThere
    }

    func run(_ sql: String, _ arguments: StatementArguments) throws {
        try db.perform(sql, arguments)
    }

    func number(_ sql: String, _ arguments: StatementArguments = []) throws -> Int64 {
        try Int64.fetchOne(db.cachedStatement(sql: sql), arguments: arguments) ?? 0
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
