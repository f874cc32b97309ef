import CloudModel
import ContainerLog
import Foundation
import GRDB

/// The chunks needed by a container, recorded by a collection in a temporary table.
///
/// It has a separate connection and reads the folded log as of one moment (sqlite.org/isolation.html), so that neither
/// a page of the console waits for a collection nor a collection sees half of a concurrent fold.
final class NeededChunks: Sendable {
    private let queue: DatabaseQueue

    /// Opens the file of a folded log. Blocks.
    init(path: String) throws {
        var configuration = Configuration()
        configuration.label = "ubiquity-collection"
        configuration.busyMode = .timeout(30)
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction {
            try $0.execute(sql: "CREATE TEMP TABLE needed (id BLOB PRIMARY KEY) WITHOUT ROWID")
        }
    }

    /// Records the names of the contents needed by the folded log and `others`. Blocks.
    ///
    /// - Throws: ``damagedTree`` if the file is corrupt. Nothing may be removed then.
    func addContents(droppedSince since: Int64, and others: [ContentReference]) throws -> Found {
        var manifests: Set<ContentReference> = []
        var position = LogPosition.start
        var purged: [PurgedContent] = []
        var announced: UInt64?
        try queue.writeWithoutTransaction { db in
            // Deferred: it locks no writer of the folded log, because it writes to the temporary table alone.
            try db.inTransaction(.deferred) {
                guard try Int.fetchOne(db, sql: "PRAGMA user_version") == FoldedSchema.version else {
                    throw damagedTree
                }
                let tree = try FoldedTree(db)
                position = tree.state().position
                func add(_ content: ContentReference) throws {
                    guard content.layout != .empty else { return }
                    try Self.add([content.digest], db)
                    if content.layout == .manifest { manifests.insert(content) }
                }
                try NeededContents(db).forEach(droppedSince: since, add)
                for content in others { try add(content) }
                purged = try PurgedContent.all(db)
                announced = try Int64.fetchOne(
                    db, sql: "SELECT MIN(size) FROM item WHERE layout = 255 AND isDeleted = 0"
                ).map { UInt64(clamping: $0) }
                return .commit
            }
        }
        return Found(
            position: position, manifests: Array(manifests), purged: purged, smallestAnnounced: announced)
    }

    /// The findings in a folded log.
    struct Found: Sendable {
        /// The last entry read.
        let position: LogPosition
        /// The contents with chunks listed in a manifest: those chunks are needed too.
        let manifests: [ContentReference]
        let purged: [PurgedContent]
        /// The size of the smallest announced document not yet uploaded; nil if there is none.
        let smallestAnnounced: UInt64?
    }

    /// Blocks.
    func add(_ chunks: [ChunkID]) throws {
        try queue.writeWithoutTransaction { db in
            try db.inTransaction(.deferred) {
                try Self.add(chunks, db)
                return .commit
            }
        }
    }

    /// Returns the unneeded chunks among these. Blocks.
    func garbage(among places: [ChunkPlace]) throws -> [ChunkPlace] {
        try queue.read { db in try places.filter { try !Self.contains(Data($0.id.bytes), db) } }
    }

    private static func add(_ chunks: [ChunkID], _ db: Database) throws {
        let statement = try db.cachedStatement(sql: "INSERT OR IGNORE INTO temp.needed VALUES (?)")
        for chunk in chunks { try statement.execute(arguments: [Data(chunk.bytes)]) }
    }

    private static func contains(_ id: Data, _ db: Database) throws -> Bool {
        try Int.fetchOne(db.cachedStatement(sql: "SELECT 1 FROM temp.needed WHERE id = ?"), arguments: [id]) != nil
    }
}
