package import CloudModel
import CloudProtocol
import Foundation

/// Logs of all accounts, for the server's own work.
extension LogStore {
    /// A container for the server's own work.
    struct StoredContainer: Hashable, Sendable {
        let id: Int64
        let account: AccountID
        let name: String
        let sequence: UInt64
    }

    /// - Parameter account: Nil for the containers of all accounts.
    func storedContainers(of account: AccountID? = nil) async throws -> [StoredContainer] {
        let condition = account == nil ? "" : "WHERE account = ?"
        return try await database.read { db in
            try db.rows(
                "SELECT id, account, name, sequence FROM container \(condition) ORDER BY id",
                account.map { [$0.value] } ?? []
            ).map { row in
                try StoredContainer(
                    id: row["id"], account: AccountID(row["account"]), name: row["name"],
                    sequence: UInt64(clamping: row["sequence"] as Int64))
            }
        }
    }

    /// Returns a page of the log without gaps, beginning with the entry at `position`, or with the first if that is 0.
    /// It has a further entry unless the log ends there, and no entry if the log ends before.
    ///
    /// - Throws: `damaged` if the log lost the following entry, `notFound` if there is no such container.
    func entries(of container: Int64, from position: LogSequence) async throws -> StoredEntries {
        let now = now()
        let start = LogSequence(max(1, position.value))
        return try await database.read { db in
            let end = try Self.end(of: container, db)
            var entries: [StoredEntry] = []
            var bytes = 0
            try db.forEachRow(
                """
                SELECT sequence, payload, digest, created FROM entry WHERE container = ? AND sequence >= ?
                ORDER BY sequence LIMIT ?
                """, [container, Int64(clamping: start.value), CloudLimits.pageEntries]
            ) { row in
                let sequence = LogSequence(UInt64(clamping: try row["sequence"] as Int64))
                guard sequence == entries.last?.sequence.next ?? start, sequence <= end else { return false }
                let payload: Data = try row["payload"]
                // The first is known already, so however long it is, there is room for the rest.
                if !entries.isEmpty { bytes += payload.count }
                let position = LogPosition(sequence, try Self.digest(row["digest"]))
                entries.append(StoredEntry(position: position, payload: Array(payload), arrived: try row["created"]))
                return bytes < CloudLimits.pageBytes
            }
            guard position >= end || entries.last.map({ $0.sequence > position }) ?? false else {
                throw StorageError(.damaged, "The log of container \(container) has no entry \(position.next).")
            }
            return StoredEntries(entries: entries, now: now)
        }
    }

    /// Returns the last entry's position.
    func end(of container: Int64) async throws -> LogSequence {
        try await database.read { try Self.end(of: container, $0) }
    }

    private static func end(of container: Int64, _ db: any StorageTransaction) throws -> LogSequence {
        guard let end = try db.value(Int64.self, "SELECT sequence FROM container WHERE id = ?", [container]) else {
            throw StorageError(.notFound, "There is no container \(container) any more.")
        }
        return LogSequence(UInt64(clamping: end))
    }

    /// Returns the bytes on the disk: the frames of a container's chunks, and its log.
    package func storedBytes(
        of name: ContainerName, account: AccountID
    ) async throws -> (chunks: UInt64, log: UInt64) {
        try await database.read { db in
            let container = try Self.requireContainer(name, account, db).id
            let log = try db.value(
                Int64.self, "SELECT CAST(SUM(LENGTH(payload)) AS BIGINT) FROM entry WHERE container = ?", [container])
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
