import CloudModel
import ContainerLog
import Foundation
import GRDB

/// The reasons to keep a container's chunks, for counting: a temporary table on a separate connection
/// (``NeededChunks``).
final class NamedChunks: Sendable {
    /// A chunk counts for the first of these that names it.
    enum Reason: Int64, CaseIterable {
        case document, version, deleted, link
    }

    private let queue: DatabaseQueue

    /// Opens the file of a folded log. Blocks.
    init(path: String) throws {
        var configuration = Configuration()
        configuration.label = "ubiquity-use"
        configuration.busyMode = .timeout(30)
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction {
            try $0.execute(
                sql: """
                    CREATE TEMP TABLE named (
                        id BLOB PRIMARY KEY, reason INTEGER NOT NULL, uses INTEGER NOT NULL, last INTEGER NOT NULL
                    ) WITHOUT ROWID;
                    CREATE TEMP TABLE content (
                        number INTEGER PRIMARY KEY, reason INTEGER NOT NULL, digest BLOB NOT NULL, layout INTEGER NOT NULL,
                        size INTEGER NOT NULL, uses INTEGER NOT NULL
                    )
                    """)
        }
    }

    /// A content stored as a list of chunks.
    struct ListedContent {
        let number: Int64
        let content: ContentReference
        let reason: Reason
        /// The number of items with it.
        let uses: Int
    }

    /// Records the stored contents named by the log and links. Blocks.
    func addContents(published: [ContentReference]) throws {
        try queue.writeWithoutTransaction { db in
            // Deferred: it locks no writer of the folded log, because it writes to temporary tables alone.
            try db.inTransaction(.deferred) {
                try Self.add(.document, from: "SELECT digest, layout, size FROM item WHERE isDeleted = 0", db)
                try Self.add(
                    .version,
                    from: """
                        SELECT old.digest, old.layout, old.size FROM (
                            SELECT item, digest, layout, size FROM conflict
                            UNION ALL SELECT item, digest, layout, size FROM dropped
                        ) AS old JOIN item ON item.id = old.item AND item.isDeleted = 0
                        """, db)
                try Self.add(
                    .deleted,
                    from: """
                        SELECT dropped.digest, dropped.layout, dropped.size FROM dropped
                        JOIN item ON item.id = dropped.item AND item.isDeleted = 1
                        """, db)
                for content in published where content.layout != .empty {
                    try db.execute(
                        sql: """
                            INSERT INTO temp.content (reason, digest, layout, size, uses) VALUES (?, ?, ?, ?, 1)
                            """,
                        arguments: [
                            Reason.link.rawValue, Data(content.digest.bytes), content.layout.rawValue,
                            Int64(clamping: content.size),
                        ])
                }
                try db.execute(
                    sql: """
                        INSERT INTO temp.named SELECT digest, reason, uses, number FROM temp.content WHERE true
                        \(Self.joined)
                        """)
                return .commit
            }
        }
    }

    /// - Parameter source: A query of digests, layouts and sizes. Merely announced content has no digest.
    private static func add(_ reason: Reason, from source: String, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO temp.content (reason, digest, layout, size, uses)
                SELECT ?, digest, layout, size, COUNT(*) FROM (\(source))
                WHERE length(digest) = 32 AND layout IN (?, ?) GROUP BY digest, layout, size
                """,
            arguments: [
                reason.rawValue, ContentReference.Layout.chunk.rawValue, ContentReference.Layout.manifest.rawValue,
            ])
    }

    /// A chunk counts for the first reason that names it. A chunk occurring twice in a content is not shared.
    private static let joined = """
        ON CONFLICT (id) DO UPDATE SET
            uses = CASE
                WHEN excluded.reason < reason THEN excluded.uses
                WHEN excluded.reason = reason AND last <> excluded.last THEN uses + excluded.uses
                ELSE uses END,
            reason = MIN(reason, excluded.reason), last = excluded.last
        """

    /// Returns the next contents stored as lists of chunks. Blocks.
    func lists(after number: Int64, limit: Int) throws -> [ListedContent] {
        try queue.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT number, reason, digest, size, uses FROM temp.content
                    WHERE number > ? AND layout = ? ORDER BY number LIMIT ?
                    """, arguments: [number, ContentReference.Layout.manifest.rawValue, limit]
            ).compactMap { row in
                guard let reason = Reason(rawValue: row[1]), let digest = Digest(row[2] as Data) else { return nil }
                let content = ContentReference(
                    digest: digest, size: UInt64(clamping: row[3] as Int64), layout: .manifest)
                return ListedContent(number: row[0], content: content, reason: reason, uses: row[4])
            }
        }
    }

    /// Records that a content names chunks. Blocks.
    func add(_ chunks: [ChunkID], of listed: ListedContent) throws {
        try queue.writeWithoutTransaction { db in
            try db.inTransaction(.deferred) {
                let statement = try db.cachedStatement(sql: "INSERT INTO temp.named VALUES (?, ?, ?, ?) \(Self.joined)")
                for chunk in chunks {
                    try statement.execute(
                        arguments: [Data(chunk.bytes), listed.reason.rawValue, listed.uses, listed.number])
                }
                return .commit
            }
        }
    }

    /// Returns the uses of chunks. Blocks.
    func use(of places: [ChunkPlace]) throws -> CloudUse {
        try queue.read { db in
            var use = CloudUse()
            let statement = try db.cachedStatement(sql: "SELECT reason, uses FROM temp.named WHERE id = ?")
            for place in places {
                let cost = UInt64(StorageCost.chunk(place.size))
                let row = try Row.fetchOne(statement, arguments: [Data(place.id.bytes)])
                switch row.flatMap({ Reason(rawValue: $0[0]) }) {
                case .document?:
                    use.documents += cost
                    if let row, row[1] as Int > 1 { use.shared += cost }
                case .version?: use.versions += cost
                case .deleted?: use.deleted += cost
                case .link?: use.links += cost
                case nil: use.unnamed += cost
                }
            }
            return use
        }
    }
}
