package import Basics
package import CloudModel
package import ContainerLog
import Foundation
import GRDB

/// A current or former content of a file.
package struct KnownVersion: Hashable, Sendable {
    package let version: VersionID
    package let content: ContentReference
    package let modified: Timestamp
    package let authorName: String
}

/// A document, or package, with its contents.
package struct StoredDocument: Hashable, Sendable {
    package let item: CloudItem
    /// The size of its files and their conflict versions, in bytes.
    package let size: UInt64
}

/// Totals of a container, in bytes of contents.
package struct ContainerTotals: Hashable, Sendable {
    package let files: Int
    package let bytes: UInt64
    package let conflicts: Int
    package let announced: Int
}

extension FoldedContainer {
    /// The most rows of a page, and the most conflict versions read with each item.
    package static let pageSize = 200

    /// Returns an item, or its successor, with the first ``pageSize`` of its conflict versions; nil if there is none,
    /// and for tombstones.
    package func item(_ id: ItemID) async throws -> CloudItem? {
        try await read { db in
            let tree = try FoldedTree(db)
            var id = id
            for _ in 0..<64 {
                guard let next = try tree.alias(of: id) else { break }
                id = next
            }
            let row = try Row.fetchOne(
                db.cachedStatement(sql: "SELECT * FROM item WHERE id = ? AND isDeleted = 0"), arguments: [id.data])
            return try row.map { try Self.item($0, conflicts: Self.pageSize, db) }
        }
    }

    /// Returns the number of an item's conflict versions.
    package func conflictCount(of item: ItemID) async throws -> Int {
        try await read { db in
            try Int.fetchOne(db, sql: "SELECT conflicts FROM item WHERE id = ?", arguments: [item.data]) ?? 0
        }
    }

    /// Returns an item's current or former content at a version; nil if it is not stored.
    package func content(of item: ItemID, at version: VersionID) async throws -> ContentReference? {
        try await read { db in
            for table in ["item", "conflict", "version"] {
                let row = try Row.fetchOne(
                    db,
                    sql: """
                        SELECT layout, size, digest FROM \(table)
                        WHERE \(table == "item" ? "id" : "item") = ? AND sequence = ? AND position = ? AND layout IS NOT NULL
                        """,
                    arguments: [item.data, Int64(clamping: version.sequence.value), Int64(version.index)])
                if let row { return try FileContent(row).reference }
            }
            return nil
        }
    }

    /// Returns the items from the container's root to the item, as ``children(of:from:limit:)`` does.
    package func path(of item: CloudItem) async throws -> [CloudItem] {
        try await read { db in
            var path = [item]
            while let last = path.last, last.id != .root, path.count < 512 {
                guard let parent = try Self.items("id = ?", [last.parent.data], db).first else { break }
                path.append(parent)
            }
            return path.reversed()
        }
    }

    /// Returns a page of a folder, folders before files, ordered by name, and the total number of items. Items of a
    /// list have neither extended attributes nor a symlink's target, and of their conflict versions only the first.
    package func children(
        of folder: ItemID, from offset: Int, limit: Int
    ) async throws -> (items: [CloudItem], total: Int) {
        try await read { db in
            let total = try Int.fetchOne(
                db, sql: "SELECT COUNT(*) FROM item WHERE parent = ? AND isDeleted = 0", arguments: [folder.data])
            let items = try Self.items(
                "parent = ? AND isDeleted = 0 ORDER BY kind <> 0, nameKey LIMIT ? OFFSET ?",
                [folder.data, limit, offset],
                db)
            return (items, total ?? 0)
        }
    }

    /// Returns a page of the items with conflict versions, ordered by name, and their total number.
    package func conflicted(from offset: Int, limit: Int) async throws -> (items: [CloudItem], total: Int) {
        try await read { db in
            let total = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM item WHERE conflicts > 0 AND isDeleted = 0")
            let items = try Self.items(
                "conflicts > 0 AND isDeleted = 0 ORDER BY nameKey, id LIMIT ? OFFSET ?", [limit, offset], db)
            return (items, total ?? 0)
        }
    }

    /// Returns announced files: their bytes are not in the cloud yet.
    package func announced(limit: Int) async throws -> [CloudItem] {
        try await read { try Self.items("layout = 255 AND isDeleted = 0 ORDER BY sequence LIMIT ?", [limit], $0) }
    }

    /// Returns the contents in the item's history, newest first.
    package func versions(of item: ItemID, limit: Int) async throws -> [KnownVersion] {
        try await read { db in
            let rows = try Row.fetchAll(
                db, sql: "SELECT * FROM version WHERE item = ? ORDER BY sequence DESC, position DESC LIMIT ?",
                arguments: [item.data, limit])
            return try rows.map(KnownVersion.init)
        }
    }

    /// Returns the content current at that version; nil if it is not in the history.
    package func version(_ version: VersionID, of item: ItemID) async throws -> KnownVersion? {
        try await read { db in
            let row = try Row.fetchOne(
                db, sql: "SELECT * FROM version WHERE item = ? AND sequence = ? AND position = ?",
                arguments: [item.data, Int64(clamping: version.sequence.value), Int64(version.index)])
            return try row.map(KnownVersion.init)
        }
    }

    /// Returns those of these names already used by the folder's items.
    package func taken(_ names: [ItemName], in folder: ItemID) async throws -> Set<ItemName> {
        try await read { db in
            let tree = try FoldedTree(db)
            let folds = tree.state().foldsNames
            return Set(try names.filter { try tree.child(of: folder, key: NameKey($0, folding: folds)) != nil })
        }
    }

    package func totals() async throws -> ContainerTotals {
        try await read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT COUNT(*) AS files, TOTAL(size) AS bytes, TOTAL(conflicts > 0) AS conflicts,
                        TOTAL(layout = 255) AS announced FROM item WHERE kind = 1 AND isDeleted = 0
                    """)
            let inConflicts = try Double.fetchOne(db, sql: "SELECT TOTAL(size) FROM conflict") ?? 0
            return ContainerTotals(
                files: row?["files"] ?? 0, bytes: bytes((row?["bytes"] ?? 0) + inConflicts),
                conflicts: Int((row?["conflicts"] as Double?) ?? 0), announced: Int((row?["announced"] as Double?) ?? 0)
            )
        }
    }

    /// Returns the largest documents, the number of documents and the sum of their sizes. A package is a single
    /// document.
    package func documents(limit: Int) async throws -> (largest: [StoredDocument], count: Int, bytes: UInt64) {
        try await read { db in
            var (largest, count, sum): ([StoredDocument], Int, UInt64) = ([], 0, 0)
            // The rows are not kept: there may be as many as items.
            let rows = try Row.fetchCursor(db, sql: Self.documentQuery, arguments: [ItemID.documents.data])
            while let row = try rows.next() {
                let size = bytes(row["size"])
                count += 1
                sum = sum.saturatingSum(size)
                guard count <= limit else { continue }
                largest += try Self.items("id = ?", [row["document"] as Data], db).map {
                    StoredDocument(item: $0, size: size)
                }
            }
            return (largest, count, sum)
        }
    }

    /// Walks down from `Documents`; everything below a package counts towards the package.
    private static let documentQuery = """
        WITH RECURSIVE below (id, document) AS (
            SELECT id, CASE WHEN kind <> 0 OR isPackage THEN id END FROM item WHERE parent = ? AND isDeleted = 0
            UNION ALL
            SELECT item.id, COALESCE(below.document, CASE WHEN kind <> 0 OR isPackage THEN item.id END)
            FROM item JOIN below ON item.parent = below.id WHERE isDeleted = 0
        )
        SELECT document, TOTAL(size) + TOTAL(CASE WHEN conflicts > 0
            THEN (SELECT TOTAL(size) FROM conflict WHERE item = item.id) ELSE 0 END) AS size
        FROM below JOIN item ON item.id = below.id WHERE document IS NOT NULL
        GROUP BY document ORDER BY size DESC, document
        """

    /// The columns of an item in a list.
    private static let listed = """
        id, parent, name, kind, isDeleted, x'' AS target, layout, size, digest, permissions, modified, created,
        x'' AS extended, sequence, position, author, authorName, conflicts
        """

    static func items(_ condition: String, _ arguments: StatementArguments, _ db: Database) throws -> [CloudItem] {
        let rows = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT \(listed) FROM item WHERE \(condition)"), arguments: arguments)
        return try rows.map { try item($0, conflicts: 1, db) }
    }

    private static func item(_ row: Row, conflicts limit: Int, _ db: Database) throws -> CloudItem {
        guard row["conflicts"] as Int64 > 0 else { return try CloudItem(row, conflicts: []) }
        let rows = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT * FROM conflict WHERE item = ? ORDER BY sequence, position LIMIT ?"),
            arguments: [row["id"] as Data, limit])
        return try CloudItem(row, conflicts: try rows.map(ConflictVersion.init))
    }
}

extension KnownVersion {
    fileprivate init(_ row: Row) throws {
        self.init(
            version: VersionID(row), content: try ContentReference(folded: row),
            modified: Timestamp(nanoseconds: row["modified"]), authorName: row["authorName"])
    }
}

/// Converts a sum of sizes, each of which may be as large as a file can be.
private func bytes(_ sum: Double) -> UInt64 { sum >= 0x1p63 ? UInt64(Int64.max) : UInt64(max(0, sum)) }
