package import CloudModel
package import CloudProtocol
import Foundation
import GRDB

extension ServerStore {
    /// What a log may grow beyond the account's share, in bytes: deleting must work where nothing else fits.
    private static let logSlack: UInt64 = 64 << 20

    /// Appends an entry. A key that was used before returns the position that it got then. Throws `damaged` where the
    /// entry refers to bytes that are not here (any more).
    package func append(
        _ payload: [UInt8], key: AppendKey?, to name: ContainerName, of account: AccountID
    ) async throws -> LogSequence {
        guard payload.count <= CloudLimits.entry else {
            throw StorageError(.tooLarge, "An entry has at most \(CloudLimits.entry) bytes.")
        }
        guard !payload.isEmpty else { throw StorageError(.invalid, "An entry has at least one byte.") }
        let cost = StorageCost.entry(payload)
        try await requireContents(of: payload, in: name, of: account)
        let isOfKeyValues = Self.isOfKeyValues(payload)
        let now = now()
        let sequence = try await database.commit { db in
            let container = try Self.requireContainer(name, account, db)
            if let key, let known = try Self.position(of: key, in: container.id, db) { return known }
            let isFree = try isOfKeyValues && Self.takeFree(cost, of: account, db)
            if !isFree { try Self.reserve(cost, slack: Self.logSlack, of: account, db) }
            let next = container.sequence + 1
            try db.execute(
                sql: "INSERT INTO entry (container, sequence, key, payload, created, isFree) VALUES (?, ?, ?, ?, ?, ?)",
                arguments: [container.id, Int64(next), key.map { Data($0.bytes) }, Data(payload), now, isFree])
            try db.execute(
                sql: "UPDATE container SET sequence = ? WHERE id = ?", arguments: [Int64(next), container.id])
            if !isFree { try Self.use(cost, of: account, db) }
            return next
        }
        changes.changed(name, to: sequence, of: account)
        return LogSequence(sequence)
    }

    private static func position(of key: AppendKey, in container: Int64, _ db: Database) throws -> UInt64? {
        try Int64.fetchOne(
            db, sql: "SELECT sequence FROM entry WHERE container = ? AND key = ?",
            arguments: [container, Data(key.bytes)]
        ).map { UInt64($0) }
    }

    /// A page behind `after`: as many entries as ``CloudLimits`` lets one have, none at the end of the log.
    /// Throws `damaged` where the log ends before `after`.
    package func page(
        of name: ContainerName, after: LogSequence, limit: Int, account: AccountID
    ) async throws -> LogPage {
        try await database.read { db in
            let container = try Self.requireContainer(name, account, db)
            guard after.value <= container.sequence else {
                throw StorageError(
                    .damaged,
                    "The log of \(name) ends at \(container.sequence), before \(after): the server lost entries.")
            }
            let rows = try Row.fetchCursor(
                db,
                sql:
                    "SELECT sequence, payload FROM entry WHERE container = ? AND sequence > ? ORDER BY sequence LIMIT ?",
                arguments: [container.id, Int64(after.value), min(max(1, limit), CloudLimits.pageEntries)])
            var payloads: [[UInt8]] = []
            var bytes = 0
            while let row = try rows.next() {
                guard UInt64(clamping: row["sequence"] as Int64) == after.value + UInt64(payloads.count) + 1 else {
                    break
                }
                let payload: Data = row["payload"]
                bytes += payload.count
                // One entry that is longer than a page is a page of its own.
                guard payloads.isEmpty || bytes <= CloudLimits.pageBytes else { break }
                payloads.append(Array(payload))
            }
            guard !payloads.isEmpty || after.value == container.sequence else {
                throw StorageError(.damaged, "The log of \(name) has no entry \(after.next): the server lost it.")
            }
            return LogPage(first: after.next, payloads: payloads)
        }
    }
}
