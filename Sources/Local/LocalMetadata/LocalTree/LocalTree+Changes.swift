package import Basics
import CloudModel
import GRDB

/// Changes to the local tree.
extension LocalTree {
    /// Inserts a row.
    ///
    /// - Returns: The node of the new row.
    @discardableResult
    package func insert(_ item: LocalItem) throws -> NodeID {
        if item.isConflictSibling { memory.hasSiblings = true }
        notePause(of: item, was: false)
        noteIgnoreFile(item.name)
        let node = try insertRow(of: item)
        try indexFoldedName(of: item, node)
        if item.item == .root { try noteRoot(of: item.container, nil, item.attributes) }
        if let rows = memory.rows {
            var item = item
            item.node = node
            rows.wrote(item)
        }
        return node
    }

    /// Inserts the row under a number of the reserved block; SQLite chooses one if there is no block.
    private func insertRow(of item: LocalItem) throws -> NodeID {
        if let number = try memory.numbers?.next(self) {
            try db.perform(LocalItem.numberedInsertion, values: [.integer(number)] + item.values)
            return NodeID(UInt64(bitPattern: number))
        }
        try db.perform(LocalItem.insertion, values: item.values)
        return NodeID(UInt64(bitPattern: db.lastInsertedRowID))
    }

    /// Writes the columns that differ from the current row. Indexes of unchanged columns are not touched, which saves
    /// most of the work.
    package func update(_ item: LocalItem) throws {
        guard let old = try self.item(item.node) else { return }
        try update(item, from: old)
    }

    /// As ``update(_:)`` of a row read by this transaction, and not changed since.
    package func update(_ item: LocalItem, from old: LocalItem) throws {
        guard old != item else { return }
        if item.isConflictSibling { memory.hasSiblings = nil }
        notePause(of: item, was: old.isPaused)
        noteIgnoreFile(old.name)
        noteIgnoreFile(item.name)
        if old.parent != item.parent { memory.leftFolders.insert(old.parent) }
        if item.kind == .folder, (old.parent, old.name) != (item.parent, item.name) {
            memory.movedFolders.insert(item.node)
            if !item.isExcluded || !old.isExcluded { memory.movesSyncedFolders = true }
            guard try !isInside(item.parent, item.node) else {
                throw MetadataError(
                    .damaged, "The folder \(item.name) cannot be moved into itself; nothing was changed.")
            }
        }
        let (before, after) = (old.values, item.values)
        let changed = after.indices.filter { before[$0] != after[$0] }
        guard !changed.isEmpty else { return }
        try db.perform(
            LocalItem.change(ofColumns: changed),
            values: changed.map { after[$0] } + [.integer(Int64(bitPattern: item.node.value))])
        memory.rows?.wrote(item)
        if (old.name, old.container) != (item.name, item.container) { try reindexFoldedName(from: old, to: item) }
        if item.item == .root { try noteRoot(of: item.container, old.attributes, item.attributes) }
    }

    package func remove(_ node: NodeID) throws {
        let known = memory.rows?[node]
        if let parent = try known?.parent ?? folder(of: node) { memory.leftFolders.insert(parent) }
        // It may be the root of a container.
        if known?.item ?? .root == .root { memory.declarations = [:] }
        try run("DELETE FROM local WHERE node = ?", [Int64(bitPattern: node.value)])
    }

    private func folder(of node: NodeID) throws -> NodeID? {
        try optionalNumber("SELECT parent FROM local WHERE node = ?", [Int64(bitPattern: node.value)]).map {
            NodeID(UInt64(bitPattern: $0))
        }
    }

    /// Gives the row a new node id: programs see a new inode, and open handles keep the old one.
    package func renumber(_ node: NodeID) throws -> NodeID {
        guard let item = try item(node) else {
            throw MetadataError(.damaged, "There is no item with the number \(node).")
        }
        try remove(node)
        return try insert(item)
    }

    /// Moves all children of `old` to `new`.
    package func moveChildren(of old: NodeID, to new: NodeID) throws {
        memory.movedFolders.insert(new)
        memory.movesSyncedFolders = true
        memory.leftFolders.insert(old)
        try run(
            "UPDATE local SET parent = ? WHERE parent = ?",
            [Int64(bitPattern: new.value), Int64(bitPattern: old.value)])
    }

    /// Sets the times of a folder whose entries changed; they are synced with its next change. Its row is kept in
    /// memory for the following attribute request (``MetadataDatabase/item(_:)``).
    package func touch(_ folder: NodeID, at time: Timestamp) throws {
        let known = memory.rows?[folder]
        try run(
            """
            UPDATE local SET modified = ?, changed = ?,
              pendingSince = CASE WHEN isExcluded THEN NULL ELSE ? END WHERE node = ?
            """, [time.nanoseconds, time.nanoseconds, time.nanoseconds, Int64(bitPattern: folder.value)])
        guard var known, !known.mayBePackage else {
            memory.touchedFolders.insert(folder)
            return
        }
        known.attributes.modified = time
        known.changed = time
        known.pendingSince = known.isExcluded ? nil : time
        memory.rows?.wrote(known)
    }

    /// Programs change few folders at a time.
    private static let touchedLimit = 64

    /// Reads the unknown rows of touched folders.
    func readTouchedFolders() throws {
        guard let rows = memory.rows else { return }
        for folder in memory.touchedFolders.prefix(Self.touchedLimit) {
            if let item = try item(folder) { rows.changes.wrote(item) }
        }
    }

    /// Inserts a row again under its former node of this transaction.
    package func restore(_ item: LocalItem) throws {
        let node = try insert(item)
        try run(
            "UPDATE local SET node = ? WHERE node = ?",
            [Int64(bitPattern: item.node.value), Int64(bitPattern: node.value)])
        memory.rows?.changes.renumbered(node)
    }
}
