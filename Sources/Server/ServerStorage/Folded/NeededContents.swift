import CloudModel
import ContainerLog
import Foundation
import GRDB

/// Determines which contents a folded log still needs, and owns the table in which a collection records their chunks.
struct NeededContents {
    private let db: Database

    init(_ db: Database) { self.db = db }

    /// Calls `body` with the contents of items and conflicts, those given up after `since` (seconds since 1970 UTC), and `others`.
    func forEach(
        droppedSince since: Int64, and others: [ContentReference], _ body: (ContentReference) throws -> Void
    ) throws {
        let items = try Data.fetchCursor(db, sql: "SELECT data FROM item WHERE isDeleted = 0")
        while let data = try items.next() {
            for content in try CloudItem(decoding: data).neededContents where content.layout != .empty {
                try body(content)
            }
        }
        let dropped = try Row.fetchCursor(
            db, sql: "SELECT digest, layout, size FROM dropped WHERE at > ?", arguments: [since])
        while let row = try dropped.next() {
            guard let digest = Digest(row["digest"] as Data),
                let layout = ContentReference.Layout(rawValue: row["layout"])
            else { throw StorageError(.damaged, "A folded log has a content without a name.") }
            guard layout != .empty else { continue }
            try body(ContentReference(digest: digest, size: UInt64(clamping: row["size"] as Int64), layout: layout))
        }
        for content in others where content.layout != .empty { try body(content) }
    }

    static func add(_ chunks: [ChunkID], _ db: Database) throws {
        let statement = try db.cachedStatement(sql: "INSERT OR IGNORE INTO temp.needed VALUES (?)")
        for chunk in chunks { try statement.execute(arguments: [Data(chunk.bytes)]) }
    }

    static func contains(_ id: Data, _ db: Database) throws -> Bool {
        try Int.fetchOne(db.cachedStatement(sql: "SELECT 1 FROM temp.needed WHERE id = ?"), arguments: [id]) != nil
    }
}

extension ContainerFold {
    /// Records the names of all needed contents, in a table that is dropped with the connection. Earlier records are removed.
    ///
    /// - Returns: The contents whose chunks a manifest lists: those chunks are needed too.
    func noteNeeded(droppedSince since: Int64, and others: [ContentReference]) throws -> [ContentReference] {
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    DROP TABLE IF EXISTS temp.needed;
                    CREATE TEMP TABLE needed (id BLOB PRIMARY KEY) WITHOUT ROWID;
                    """)
            var manifests: Set<ContentReference> = []
            try db.inTransaction {
                try NeededContents(db).forEach(droppedSince: since, and: others) { content in
                    try NeededContents.add([content.digest], db)
                    if content.layout == .manifest { manifests.insert(content) }
                }
                return .commit
            }
            return Array(manifests)
        }
    }

    func noteNeeded(_ chunks: [ChunkID]) throws { try queue.write { try NeededContents.add(chunks, $0) } }

    /// Returns those of the chunks that nothing recorded needs.
    func notNeeded(_ places: [ChunkPlace]) throws -> [ChunkPlace] {
        try queue.read { db in try places.filter { try !NeededContents.contains(Data($0.id.bytes), db) } }
    }
}
