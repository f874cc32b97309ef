import CloudModel
import ContainerLog
import Foundation
import GRDB

/// What names the chunks of one container, as counting needs it: a temporary table on a connection of its own (``NeededChunks``).
final class NamedChunks: Sendable {
    /// The first of these that names a chunk is the one that it counts for.
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
                    ) WITHOUT ROWID
                    """)
        }
    }

    /// Returns the stored contents that the log names, with how many items have each. Blocks.
    func contents() throws -> [Reason: [ContentReference: Int]] {
        try queue.read { db in
            [
                .document: try Self.contents("FROM item WHERE isDeleted = 0", db),
                .version: try Self.contents(
                    """
                    FROM (SELECT item, digest, layout, size FROM conflict
                        UNION ALL SELECT item, digest, layout, size FROM dropped) AS old
                    JOIN item ON item.id = old.item AND item.isDeleted = 0
                    """, prefix: "old.", db),
                .deleted: try Self.contents(
                    "FROM dropped JOIN item ON item.id = dropped.item AND item.isDeleted = 1", prefix: "dropped.", db),
            ]
        }
    }

    private static func contents(
        _ source: String, prefix: String = "", _ db: Database
    ) throws -> [ContentReference: Int] {
        var contents: [ContentReference: Int] = [:]
        let rows = try Row.fetchCursor(
            db, sql: "SELECT \(prefix)digest, \(prefix)layout, \(prefix)size \(source)")
        while let row = try rows.next() {
            // What is only announced has no digest.
            guard let bytes = row[0] as Data?, let digest = Digest(bytes), let number = row[1] as UInt8?,
                let layout = ContentReference.Layout(rawValue: number), layout != .empty
            else { continue }
            let size = UInt64(clamping: row[2] as Int64)
            contents[ContentReference(digest: digest, size: size, layout: layout), default: 0] += 1
        }
        return contents
    }

    /// Records that contents name chunks. Blocks.
    ///
    /// - Parameters:
    ///   - uses: How many items have a content that names the chunk.
    ///   - content: A number of the content; a chunk that a content has twice is not shared.
    func add(_ chunks: [(id: ChunkID, uses: Int)], _ reason: Reason, content: Int) throws {
        try queue.writeWithoutTransaction { db in
            try db.inTransaction(.deferred) {
                let statement = try db.cachedStatement(
                    sql: """
                        INSERT INTO temp.named VALUES (?1, ?2, ?3, ?4) ON CONFLICT (id) DO UPDATE SET
                            uses = uses + CASE WHEN reason = excluded.reason AND last <> excluded.last
                                THEN excluded.uses ELSE 0 END, last = excluded.last
                        """)
                for chunk in chunks {
                    try statement.execute(arguments: [Data(chunk.id.bytes), reason.rawValue, chunk.uses, content])
                }
                return .commit
            }
        }
    }

    /// Returns what chunks count for. Blocks.
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
