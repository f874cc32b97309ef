import Basics
package import CloudModel
package import CloudProtocol
import ContainerLog
import Foundation

/// Logs: containers and their entries.
///
/// An entry gets its position in the transaction that stores it. Appending with a key that was used before returns the position that was
/// assigned then.
package struct LogStore: NounStore {
    let database: any StorageDatabase
    let time: any TimeSource
    let chunks: ChunkStore
    let changes: ChangeHub

    /// How many bytes a log may grow beyond the account's share, because deleting must work where nothing else fits.
    private static let logSlack: UInt64 = 64 << 20

    /// Appends an entry. Appending with a key that was used before returns the position that was assigned then. Throws `damaged` if the
    /// entry refers to bytes that are not here (any more).
    package func append(
        _ payload: [UInt8], key: AppendKey?, to name: ContainerName, of account: AccountID
    ) async throws -> LogSequence {
        guard payload.count <= CloudLimits.entry else {
            throw StorageError(.tooLarge, "An entry may have at most \(CloudLimits.entry) bytes.")
        }
        guard !payload.isEmpty else { throw StorageError(.invalid, "An entry must have at least one byte.") }
        let cost = StorageCost.entry(payload)
        try await chunks.requireContents(of: payload, in: name, of: account)
        let isOfKeyValues = Self.isOfKeyValues(payload)
        let now = now()
        let sequence = try await database.commit(of: account) { db in
            let target = try Self.target(of: key, in: name, account, db)
            if let known = target.known { return known }
            let isFree = try isOfKeyValues && AccountStore.takeFree(cost, of: account, db)
            if !isFree { try target.usage.reserve(cost, slack: Self.logSlack) }
            let container = target.container
            let next = container.sequence + 1
            try db.enqueue(
                "INSERT INTO entry (container, sequence, key, payload, created, isFree) VALUES (?, ?, ?, ?, ?, ?)",
                [container.id, Int64(next), key.map { Data($0.bytes) }, Data(payload), now, isFree])
            try db.enqueue("UPDATE container SET sequence = ? WHERE id = ?", [Int64(next), container.id])
            if !isFree { try AccountStore.use(cost, of: account, db) }
            return next
        }
        changes.changed(name, to: sequence, of: account)
        return LogSequence(sequence)
    }

    /// Whether an entry has only changes of key-value stores.
    static func isOfKeyValues(_ payload: [UInt8]) -> Bool {
        // A payload that is not a batch has no meaning, and is not a setting.
        guard let batch = try? ChangeBatch(decoding: payload), !batch.changes.isEmpty else { return false }
        return batch.changes.allSatisfy { if case .setValue = $0 { true } else { false } }
    }

    /// What an append has to know.
    private struct Target {
        let container: (id: Int64, sequence: UInt64)
        let usage: AccountUsage
        /// The position of the entry with the key.
        let known: UInt64?
    }

    /// Reads it by one query, because each is a message there and back to PostgreSQL, for which the whole group waits.
    private static func target(
        of key: AppendKey?, in name: ContainerName, _ account: AccountID, _ db: any StorageTransaction
    ) throws -> Target {
        let row = try db.row(
            """
            SELECT container.id, container.sequence, quota, used,
                (SELECT entry.sequence FROM entry WHERE container = container.id AND key = ?) AS known
            FROM container JOIN account ON account.id = container.account WHERE container.account = ? AND container.name = ?
            """, [key.map { Data($0.bytes) }, account.value, name.text])
        guard let row else { throw missing(name) }
        return try Target(
            container: (row["id"], UInt64(clamping: row["sequence"] as Int64)), usage: AccountUsage(row),
            known: (row["known"] as Int64?).map { UInt64(clamping: $0) })
    }

    /// Returns a page after `after`: as many entries as ``CloudLimits`` allows, none at the end of the log. Throws `damaged` if the log
    /// ends before `after`.
    package func page(
        of name: ContainerName, after: LogSequence, limit: Int, account: AccountID
    ) async throws -> LogPage {
        let page = try await database.readOnce { db in
            try Self.entries(of: name, after: after, limit: limit, account, db)
        }
        if let page { return page }
        return try await database.read { db in
            let container = try Self.requireContainer(name, account, db)
            guard after.value <= container.sequence else {
                throw StorageError(
                    .damaged,
                    "The log of \(name) ends at \(container.sequence), before \(after): the server lost entries.")
            }
            if after.value == container.sequence { return LogPage(first: after.next, payloads: []) }
            // An entry may have been appended since the first read.
            if let page = try Self.entries(of: name, after: after, limit: limit, account, db) { return page }
            throw StorageError(.damaged, "The log of \(name) has no entry \(after.next): the server lost it.")
        }
    }

    /// Returns a page; nil if there is no entry `after.next`.
    private static func entries(
        of name: ContainerName, after: LogSequence, limit: Int, _ account: AccountID, _ db: any StorageTransaction
    ) throws -> LogPage? {
        var payloads: [[UInt8]] = []
        var bytes = 0
        try db.forEachRow(
            """
            SELECT sequence, payload FROM entry
            WHERE container = (SELECT id FROM container WHERE account = ? AND name = ?) AND sequence > ?
            ORDER BY sequence LIMIT ?
            """,
            [account.value, name.text, Int64(clamping: after.value), min(max(1, limit), CloudLimits.pageEntries)]
        ) { row in
            let sequence = UInt64(clamping: try row["sequence"] as Int64)
            guard sequence == after.value + UInt64(payloads.count) + 1 else { return false }
            let payload: Data = try row["payload"]
            bytes += payload.count
            // One entry that is longer than a page is a page of its own.
            guard payloads.isEmpty || bytes <= CloudLimits.pageBytes else { return false }
            payloads.append(Array(payload))
            return true
        }
        return payloads.isEmpty ? nil : LogPage(first: after.next, payloads: payloads)
    }
}
