import CloudModel
import ContainerLog
import Foundation
import GRDB

/// Reads the needed contents from a folded log. An unreadable row is an error, because the result decides which chunks
/// are removed.
struct NeededContents {
    private let db: SQLiteTransaction

    init(_ db: Database) { self.db = SQLiteTransaction(db: db) }

    private static let columns = "id, isDeleted, conflicts, layout, size, digest, sequence, position"

    /// A content of an item, and its version in the item.
    struct Version: Hashable {
        let id: VersionID
        let content: ContentReference
    }

    /// Returns the row of an item as ``versions(of:)`` needs it; nil if there is none.
    static func row(of item: ItemID, _ db: Database) throws -> StorageRow? {
        try SQLiteTransaction(db: db).row("SELECT \(columns) FROM item WHERE id = ?", [item.data])
    }

    /// Returns the ``CloudItem/neededContents`` of an item as it is stored.
    func contents(of row: StorageRow) throws -> Set<ContentReference> { Set(try versions(of: row).map(\.content)) }

    /// Returns the needed contents of an item as it is stored, each with every version under which the item has it.
    func versions(of row: StorageRow) throws -> [Version] {
        guard try !(row["isDeleted"] as Bool) else { return [] }
        var versions: [Version] = []
        if let version = try version(row) { versions.append(version) }
        guard try row["conflicts"] as Int64 > 0 else { return versions }
        try db.forEachRow(
            "SELECT layout, size, digest, sequence, position FROM conflict WHERE item = ?", [try row["id"] as Data]
        ) { row in
            if let version = try version(row) { versions.append(version) }
            return true
        }
        return versions
    }

    private func version(_ row: StorageRow) throws -> Version? {
        try content(row).map { content in
            Version(
                id: VersionID(
                    sequence: LogSequence(UInt64(clamping: try row["sequence"] as Int64)),
                    index: UInt32(truncatingIfNeeded: try row["position"] as Int64)), content: content)
        }
    }

    /// Returns the content of a row; nil for an announced file and for an item without content.
    private func content(_ row: StorageRow) throws -> ContentReference? {
        guard let bytes = try row["digest"] as Data? else { return nil }
        guard let digest = Digest(bytes), let layout = ContentReference.Layout(rawValue: try row["layout"]) else {
            throw damagedTree
        }
        return ContentReference(
            digest: digest, size: UInt64(clamping: try row["size"] as Int64), layout: layout)
    }

    /// Calls `body` with the contents of items and conflicts, and those given up after `since` (seconds since 1970
    /// UTC).
    ///
    /// - Throws: ``damagedTree`` if the contents read differ from those folded; `body` was called with some of them.
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
