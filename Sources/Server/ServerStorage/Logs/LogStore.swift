import Basics
package import CloudModel
package import CloudProtocol
import ContainerLog
import Cryptography
import Foundation

/// Logs: containers and their entries.
///
/// An entry gets its position in the transaction that stores it. Appending with a known key returns the position
/// assigned before.
package struct LogStore: NounStore {
    let database: any StorageDatabase
    let time: any TimeSource
    let chunks: ChunkStore
    let changes: ChangeHub
    let requests: CollectionRequests
    private let tails: LogTails?

    init(
        database: any StorageDatabase, time: any TimeSource, chunks: ChunkStore, changes: ChangeHub,
        requests: CollectionRequests
    ) {
        self.database = database
        self.time = time
        self.chunks = chunks
        self.changes = changes
        self.requests = requests
        tails = LogTails(database)
    }

    /// How many bytes a log may grow beyond the account's share, because deletions must succeed when nothing else fits.
    private static let logSlack: UInt64 = 64 << 20

    /// Appends an entry. Appending with a known key returns the position assigned before.
    ///
    /// - Parameter position: The last entry read by the author.
    /// - Throws: `diverged` if the log does not have this position, `damaged` if the entry refers to missing bytes.
    package func append(
        _ payload: [UInt8], key: AppendKey?, after position: LogPosition, to name: ContainerName, of account: AccountID
    ) async throws -> LogSequence {
        guard payload.count <= CloudLimits.entry else {
            throw StorageError(.tooLarge, "An entry may have at most \(CloudLimits.entry) bytes.")
        }
        guard !payload.isEmpty else { throw StorageError(.invalid, "An entry must have at least one byte.") }
        // A payload other than a batch has no meaning, and is not a setting.
        let batch = try await chunks.bulk.batch(of: payload, for: account)
        var appended: Appended?
        // Repeated only if a collection removed chunks of the container since they were looked for.
        for _ in 0..<Self.appendRounds where appended == nil {
            var removals: Int64?
            if let batch, batch.bringsContents {
                removals = try await chunks.removals(in: name, of: account)
                try await chunks.requireContents(of: batch, in: name, of: account)
            }
            appended = try await commit(
                payload, batch, key: key, after: position, ifRemovalsAre: removals, to: name, of: account)
        }
        guard let appended else { throw StorageError(.busy, "Chunks are being collected; try again.") }
        if batch?.removesVersions == true { requests.add(appended.container) }
        changes.changed(name, to: appended.sequence, of: account)
        return LogSequence(appended.sequence)
    }

    private static let appendRounds = 16

    private struct Appended: Sendable {
        let container: Int64
        let sequence: UInt64
    }

    /// - Returns: Nil if chunks of the container were removed since that many removals.
    private func commit(
        _ payload: [UInt8], _ batch: ChangeBatch?, key: AppendKey?, after position: LogPosition,
        ifRemovalsAre removals: Int64?, to name: ContainerName, of account: AccountID
    ) async throws -> Appended? {
        let cost = StorageCost.entry(payload)
        let isOfKeyValues = batch.map(Self.isOfKeyValues) ?? false
        let now = now()
        let query = Self.target(of: key, after: position, in: name, account)
        return try await chunks.bulk.entry(payload.count, of: account) {
            try await database.commit(.account(account.value), after: query) { rows, db in
                guard let target = try rows.first.map(Target.init) else { throw Self.missing(name) }
                if let known = target.known { return Appended(container: target.container.id, sequence: known) }
                if let removals, target.removals != removals { return nil }
                try Self.require(position, found: target.position, in: name)
                let isFree = try isOfKeyValues && AccountStore.takeFree(cost, of: account, db)
                if !isFree { try target.usage.reserve(cost, slack: Self.logSlack) }
                let container = target.container
                let next = container.sequence + 1
                try db.enqueue(
                    """
                    INSERT INTO entry (container, sequence, key, payload, digest, created, isFree)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                    [
                        container.id, Int64(next), key.map { Data($0.bytes) }, Data(payload),
                        Data(target.end.chained(payload).bytes), now, isFree,
                    ])
                try db.enqueue("UPDATE container SET sequence = ? WHERE id = ?", [Int64(next), container.id])
                if !isFree { try AccountStore.use(cost, of: account, db) }
                return Appended(container: container.id, sequence: next)
            }
        }
    }

    /// Whether an entry has only changes of key-value stores.
    static func isOfKeyValues(_ batch: ChangeBatch) -> Bool {
        !batch.changes.isEmpty && batch.changes.allSatisfy { if case .setValue = $0 { true } else { false } }
    }

    /// The facts needed by an append.
    private struct Target {
        let container: (id: Int64, sequence: UInt64)
        let usage: AccountUsage
        let removals: Int64
        /// The position of the entry with the key.
        let known: UInt64?
        /// The digest of the whole log.
        let end: Digest
        /// The digest of the log up to the position read by the author; nil if the log does not reach it.
        let position: Digest?

        init(_ row: StorageRow) throws {
            end = try LogStore.digest(row["digest"]) ?? .zero
            position = try LogStore.digest(row["position"])
            container = (try row["id"], UInt64(clamping: try row["sequence"] as Int64))
            usage = try AccountUsage(row)
            removals = try row["removals"]
            known = (try row["known"] as Int64?).map { UInt64(clamping: $0) }
        }
    }

    /// Returns the query of a ``Target``. It has no row if there is no such container.
    private static func target(
        of key: AppendKey?, after position: LogPosition, in name: ContainerName, _ account: AccountID
    ) -> StorageQuery {
        StorageQuery(
            """
            SELECT container.id, container.sequence, container.removals, quota, used,
                (SELECT entry.sequence FROM entry WHERE container = container.id AND key = ?) AS known,
                (SELECT digest FROM entry WHERE container = container.id AND entry.sequence = container.sequence) AS digest,
                (SELECT digest FROM entry WHERE container = container.id AND entry.sequence = ?) AS position
            FROM container JOIN account ON account.id = container.account WHERE container.account = ? AND container.name = ?
            """, [key.map { Data($0.bytes) }, Int64(clamping: position.sequence.value), account.value, name.text])
    }

    /// Throws `diverged` if a log does not have a position.
    ///
    /// - Parameter found: The digest of the log up to there; nil if the log ends before.
    static func require(_ position: LogPosition, found: Digest?, in name: ContainerName) throws {
        guard position.sequence > .zero else { return }
        guard let found else {
            throw StorageError(
                .diverged,
                """
                The log of \(name) ends before entry \(position.sequence), which this device has read: the server's data went back to an \
                earlier state. Put the right state back; otherwise run `ubiquity reset` on this device, which loses no document.
                """)
        }
        guard found == position.digest ?? found else {
            throw StorageError(
                .diverged,
                """
                The log of \(name) has other entries up to \(position.sequence) than this device has read: the server's data went back to an \
                earlier state and has grown since. Put the right state back; otherwise run `ubiquity reset` on this device, which loses no \
                document.
                """)
        }
    }

    static func digest(_ column: Data?) throws -> Digest? {
        guard let column else { return nil }
        guard let digest = Digest(column) else { throw StorageError(.damaged, "An entry has an invalid digest.") }
        return digest
    }

    /// Returns a page after a position: as many entries as ``CloudLimits`` allows, none at the end of the log.
    ///
    /// - Throws: `diverged` if the log does not have the position, `damaged` if it lost an entry.
    package func page(
        of name: ContainerName, after: LogPosition, limit: Int, account: AccountID
    ) async throws -> LogPage {
        let limit = Self.bounded(limit)
        if let page = try await tails?.page(of: name, account, after: after, limit: limit) { return page }
        let page = try await database.readOnce { db in
            try Self.knownPage(of: name, after: after, limit: limit, account, db)
        }
        if let page { return page }
        return try await database.read { db in
            let container = try Self.requireContainer(name, account, db)
            let found = try db.value(
                Data.self, "SELECT digest FROM entry WHERE container = ? AND sequence = ?",
                [container.id, Int64(clamping: after.sequence.value)])
            try Self.require(after, found: Self.digest(found), in: name)
            let next = after.sequence.next
            if after.sequence.value >= container.sequence { return LogPage(first: next, payloads: []) }
            let payloads = try Self.payloads(of: container.id, after: after.sequence, limit: limit, db)
            if !payloads.isEmpty { return LogPage(first: next, payloads: payloads) }
            throw StorageError(.damaged, "The log of \(name) has no entry \(next): the server lost it.")
        }
    }

    /// Returns a page by a single query without a transaction; nil if that query cannot determine the log's contents,
    /// such as when a container or an entry is missing.
    private static func knownPage(
        of name: ContainerName, after: LogPosition, limit: Int, _ account: AccountID, _ db: any StorageTransaction
    ) throws -> LogPage? {
        var end: UInt64?
        var found: Digest?
        let start = after.sequence.value
        var page = PagePayloads(after: start)
        // The end of the log is the row without a payload. The standard leaves the order of the rows open; in a
        // different order, `page` is empty.
        try db.forEachRow(
            """
            SELECT sequence, CAST(NULL AS BYTEA) AS payload,
                (SELECT digest FROM entry WHERE entry.container = container.id AND entry.sequence = ?3) AS digest
            FROM container WHERE account = ?1 AND name = ?2
            UNION ALL SELECT sequence, payload, CAST(NULL AS BYTEA) FROM (
                SELECT sequence, payload FROM entry
                WHERE container = (SELECT id FROM container WHERE account = ?1 AND name = ?2) AND sequence > ?3
                ORDER BY sequence LIMIT ?4) AS page
            """, [account.value, name.text, Int64(clamping: start), limit]
        ) { row in
            let sequence = UInt64(clamping: try row[0] as Int64)
            guard let payload = try row[1] as Data? else {
                end = sequence
                found = try digest(row[2])
                return true
            }
            return page.add(payload, at: sequence)
        }
        guard let end else { return nil }
        try require(after, found: found, in: name)
        guard !page.payloads.isEmpty || start == end else { return nil }
        return LogPage(first: after.sequence.next, payloads: page.payloads)
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
