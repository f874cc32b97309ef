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
    private let tails: LogTails?

    init(database: any StorageDatabase, time: any TimeSource, chunks: ChunkStore, changes: ChangeHub) {
        self.database = database
        self.time = time
        self.chunks = chunks
        self.changes = changes
        tails = LogTails(database)
    }

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
        let query = Self.target(of: key, in: name, account)
        let sequence = try await database.commit(.account(account.value), after: query) { rows, db in
            guard let target = try rows.first.map(Target.init) else { throw Self.missing(name) }
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

        init(_ row: StorageRow) throws {
            container = (try row["id"], UInt64(clamping: try row["sequence"] as Int64))
            usage = try AccountUsage(row)
            known = (try row["known"] as Int64?).map { UInt64(clamping: $0) }
        }
    }

    /// Returns the query of a ``Target``, which has no row if there is no such container.
    private static func target(of key: AppendKey?, in name: ContainerName, _ account: AccountID) -> StorageQuery {
        StorageQuery(
            """
            SELECT container.id, container.sequence, quota, used,
                (SELECT entry.sequence FROM entry WHERE container = container.id AND key = ?) AS known
            FROM container JOIN account ON account.id = container.account WHERE container.account = ? AND container.name = ?
            """, [key.map { Data($0.bytes) }, account.value, name.text])
    }

    /// Returns a page after `after`: as many entries as ``CloudLimits`` allows, none at the end of the log. Throws `damaged` if the log
    /// ends before `after`.
    package func page(
        of name: ContainerName, after: LogSequence, limit: Int, account: AccountID
    ) async throws -> LogPage {
        let limit = Self.bounded(limit)
        if let page = try await tails?.page(of: name, account, after: after, limit: limit) { return page }
        let page = try await database.readOnce { db in
            try Self.knownPage(of: name, after: after, limit: limit, account, db)
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
            let payloads = try Self.payloads(of: container.id, after: after, limit: limit, db)
            if !payloads.isEmpty { return LogPage(first: after.next, payloads: payloads) }
            throw StorageError(.damaged, "The log of \(name) has no entry \(after.next): the server lost it.")
        }
    }

    /// Returns a page by one query, which needs no transaction; nil if that query cannot say what the log has, such as where a container or
    /// an entry is missing.
    private static func knownPage(
        of name: ContainerName, after: LogSequence, limit: Int, _ account: AccountID, _ db: any StorageTransaction
    ) throws -> LogPage? {
        var end: UInt64?
        var page = PagePayloads(after: after.value)
        // The end of the log is the row without a payload. The standard leaves the order of the rows open; in another one, `page` is empty.
        try db.forEachRow(
            """
            SELECT sequence, CAST(NULL AS BYTEA) AS payload FROM container WHERE account = ?1 AND name = ?2
            UNION ALL SELECT sequence, payload FROM (
                SELECT sequence, payload FROM entry
                WHERE container = (SELECT id FROM container WHERE account = ?1 AND name = ?2) AND sequence > ?3
                ORDER BY sequence LIMIT ?4) AS page
            """, [account.value, name.text, Int64(clamping: after.value), limit]
        ) { row in
            let sequence = UInt64(clamping: try row[0] as Int64)
            guard let payload = try row[1] as Data? else {
                end = sequence
                return true
            }
            return page.add(payload, at: sequence)
        }
        guard let end, !page.payloads.isEmpty || after.value == end else { return nil }
        return LogPage(first: after.next, payloads: page.payloads)
    }

    private static func payloads(
        of container: Int64, after: LogSequence, limit: Int, _ db: any StorageTransaction
    ) throws -> [[UInt8]] {
        var page = PagePayloads(after: after.value)
        try db.forEachRow(
            "SELECT sequence, payload FROM entry WHERE container = ? AND sequence > ? ORDER BY sequence LIMIT ?",
            [container, Int64(clamping: after.value), limit]
        ) { page.add(try $0[1], at: UInt64(clamping: try $0[0] as Int64)) }
        return page.payloads
    }

    private static func bounded(_ limit: Int) -> Int { min(max(1, limit), CloudLimits.pageEntries) }
}
