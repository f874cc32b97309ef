import CloudModel
import ContainerLog
import Foundation
import GRDB

/// Reads from a folded log which contents it needs. A row that cannot be read is an error: chunks are removed by what is read here.
struct NeededContents {
    private let db: SQLiteTransaction

    init(_ db: Database) { self.db = SQLiteTransaction(db: db) }

    private static let columns = "id, isDeleted, conflicts, layout, size, digest"

    /// Returns what ``contents(of:)`` reads of an item; nil if there is none.
    static func row(of item: ItemID, _ db: Database) throws -> StorageRow? {
        try SQLiteTransaction(db: db).row("SELECT \(columns) FROM item WHERE id = ?", [item.data])
    }

    /// Returns the ``CloudItem/neededContents`` of an item as it is stored.
    func contents(of row: StorageRow) throws -> Set<ContentReference> {
        guard try !(row["isDeleted"] as Bool) else { return [] }
        var contents: Set<ContentReference> = []
        if let content = try content(row) { contents.insert(content) }
        guard try row["conflicts"] as Int64 > 0 else { return contents }
        try db.forEachRow("SELECT layout, size, digest FROM conflict WHERE item = ?", [try row["id"] as Data]) { row in
            if let content = try content(row) { contents.insert(content) }
            return true
        }
        return contents
    }

    /// Returns the content of a row; nil for an announced file and for an item that has none.
    private func content(_ row: StorageRow) throws -> ContentReference? {
        guard let bytes = try row["digest"] as Data? else { return nil }
        guard let digest = Digest(bytes), let layout = ContentReference.Layout(rawValue: try row["layout"]) else {
            throw damagedTree
        }
        return ContentReference(
            digest: digest, size: UInt64(clamping: try row["size"] as Int64), layout: layout)
    }

    /// Calls `body` with the contents of items and conflicts, and those given up after `since` (seconds since 1970 UTC).
    ///
    /// - Throws: ``damagedTree`` if the contents that were read are not those that were folded; `body` was called with some of them.
    func forEach(droppedSince since: Int64, _ body: (ContentReference) throws -> Void) throws {
        let tree = try FoldedTree(db.db)
        var (needed, dropped) = (ContentSum(), ContentSum())
        try db.forEachRow(
            """
            SELECT \(Self.columns) FROM item WHERE isDeleted = 0 AND (digest IS NOT NULL OR conflicts > 0)
            """, []
        ) { row in
            for content in try contents(of: row) {
                needed.add(content)
                try body(content)
            }
            return true
        }
        try db.forEachRow("SELECT layout, size, digest, at FROM dropped", []) { row in
            guard let content = try content(row) else { throw damagedTree }
            let time: Int64 = try row["at"]
            dropped.add(content, at: time)
            if time > since { try body(content) }
            return true
        }
        guard needed == tree.neededSum, dropped == tree.droppedSum else { throw damagedTree }
    }
}
