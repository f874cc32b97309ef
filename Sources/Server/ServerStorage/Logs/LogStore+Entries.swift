package import CloudModel
import CloudProtocol
import Foundation

/// Logs for the server's own work, whichever account they belong to.
extension LogStore {
    /// A container for the server's own work.
    struct StoredContainer: Hashable, Sendable {
        let id: Int64
        let account: AccountID
        let name: String
        let sequence: UInt64
    }

    func storedContainers() async throws -> [StoredContainer] {
        try await database.read { db in
            try db.rows("SELECT id, account, name, sequence FROM container ORDER BY id").map { row in
                try StoredContainer(
                    id: row["id"], account: AccountID(row["account"]), name: row["name"],
                    sequence: UInt64(clamping: row["sequence"] as Int64))
            }
        }
    }

    /// Returns a page of entries after `position`, with the times at which they arrived.
    func entries(of container: Int64, after position: LogSequence) async throws -> [ContainerFold.Entry] {
        let now = now()
        return try await database.read { db in
            var entries: [ContainerFold.Entry] = []
            var bytes = 0
            try db.forEachRow(
                """
                SELECT sequence, payload, created FROM entry WHERE container = ? AND sequence > ?
                ORDER BY sequence LIMIT ?
                """, [container, Int64(position.value), CloudLimits.pageEntries]
            ) { row in
                let payload: Data = try row["payload"]
                bytes += payload.count
                entries.append(
                    ContainerFold.Entry(
                        sequence: LogSequence(UInt64(clamping: try row["sequence"] as Int64)), payload: Array(payload),
                        created: try row["created"] ?? now))
                return bytes < CloudLimits.pageBytes
            }
            return entries
        }
    }

    /// Returns the bytes on the disk: the frames of a container's chunks, and its log.
    package func storedBytes(
        of name: ContainerName, account: AccountID
    ) async throws -> (chunks: UInt64, log: UInt64) {
        try await database.read { db in
            let container = try Self.requireContainer(name, account, db).id
            let log = try db.value(
                Int64.self, "SELECT SUM(LENGTH(payload)) FROM entry WHERE container = ?", [container])
            return (try ChunkStore.frameBytes(of: container, db), UInt64(clamping: log ?? 0))
        }
    }

    /// Returns the ends of an account's logs, for the change feed.
    static func ends(
        of account: AccountID, in database: any StorageDatabase
    ) async throws -> [String: UInt64] {
        try await database.read { db in
            let rows = try db.rows("SELECT name, sequence FROM container WHERE account = ?", [account.value])
            return Dictionary(
                uniqueKeysWithValues: try rows.map {
                    (try $0["name"] as String, UInt64(clamping: try $0["sequence"] as Int64))
                })
        }
    }
}
