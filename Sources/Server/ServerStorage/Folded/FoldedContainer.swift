import Basics
import CloudModel
import CloudProtocol
import ContainerLog
import Crypto
import Foundation
import GRDB

/// The folded log of one container in a file of its own, updated when it is used. The file may be removed at any time; it is rebuilt.
package final class FoldedContainer: Sendable {
    let queue: DatabaseQueue

    init(path: String) throws {
        do { queue = try Self.open(path) } catch let error as DatabaseError
            where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
        {
            for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
            queue = try Self.open(path)
        }
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "ubiquity-folded"
        configuration.busyMode = .timeout(5)
        // The log has everything: a loss of power may cost transactions, which are folded again, but never leaves half of one.
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -4096")
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { db in
            let found = try Int.fetchOne(db, sql: "PRAGMA user_version")
            if found != FoldedSchema.version { try makeAnew(db) }
        }
        return queue
    }

    private static func makeAnew(_ db: Database) throws {
        let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        for table in tables { try db.execute(sql: "DROP TABLE \"\(table)\"") }
        try db.execute(sql: FoldedSchema.tables)
        try db.execute(sql: "PRAGMA user_version = \(FoldedSchema.version)")
    }

    /// Returns the position of the last folded entry.
    func sequence() async throws -> LogSequence { try await read { try FoldedTree(db: $0).state().sequence } }

    /// Folds a page that begins with the last folded entry. If that entry differs from the one that was folded, the log was restored from a
    /// backup, and everything is rebuilt. Returns false if another task was faster.
    func fold(_ page: LogPage) async throws -> Bool {
        try await write { db in
            let sequence = try FoldedTree(db: db).state().sequence
            var entries = page.payloads[...]
            if sequence > .zero {
                guard page.first == sequence else { return false }
                let known = try Data.fetchOne(db, sql: "SELECT lastEntry FROM state")
                guard let first = entries.popFirst(), known == Self.digest(first) else {
                    try Self.makeAnew(db)
                    return true
                }
            } else {
                guard page.first == sequence.next else { return false }
            }
            try Self.fold(entries, after: sequence, db)
            return true
        }
    }

    private static func fold(_ entries: ArraySlice<[UInt8]>, after sequence: LogSequence, _ db: Database) throws {
        var tree = FoldedTree(db: db)
        var at = sequence
        for entry in entries {
            at = at.next
            do {
                let batch = try ChangeBatch(decoding: entry)
                tree.origin = (batch.deviceName, batch.time)
                _ = try ContainerReducer().fold(batch, at: at, into: &tree)
            } catch let error as LogError {
                if error.needsUpdate { throw StorageError(.tooNew, "\(error)") }
                // Every device sees the same bytes, so the entry is void for all of them.
                try ContainerReducer().foldVoid(at: at, into: &tree)
            }
        }
        if let last = entries.last { try db.execute(sql: "UPDATE state SET lastEntry = ?", arguments: [digest(last)]) }
    }

    func makeAnew() async throws { try await write { try Self.makeAnew($0) } }

    private static func digest(_ entry: [UInt8]) -> Data { Data(SHA256.hash(data: entry)) }

    func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        do { return try await queue.read(body) } catch { throw await repaired(error) }
    }

    private func write<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        do { return try await queue.write(body) } catch { throw await repaired(error) }
    }

    /// Handles damage to this file, in which nothing is lost: it is rebuilt from the log.
    private func repaired(_ error: any Error) async -> any Error {
        guard !(error is CancellationError) else { return error }
        let failure = error is ByteCodingError ? damagedTree : StorageError.of(error)
        guard failure.code == .damaged else { return failure }
        do { try await queue.write { try Self.makeAnew($0) } } catch { return StorageError.of(error) }
        return StorageError(.failed, "\(damagedTree.message) Try again.", cause: error)
    }
}
