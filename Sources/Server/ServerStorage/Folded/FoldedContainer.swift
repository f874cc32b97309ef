import Basics
import CloudModel
import ContainerLog
import Foundation
import GRDB
import Synchronization

/// The folded log of a container in its own file, updated on use.
///
/// Each page of the log is folded in a transaction that first compares the last folded entry with the log's. So the
/// file is a prefix of the log at any moment, regardless of the tasks and processes that fold into it or die. It may be
/// removed at any time.
package final class FoldedContainer: Sendable {
    let path: String
    private let queue: DatabaseQueue
    private let discarded = Atomic(false)

    init(path: String) throws {
        self.path = path
        do { queue = try Self.open(path) } catch let error as DatabaseError
            where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
        {
            FoldedFiles.remove(path)
            queue = try Self.open(path)
        }
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "ubiquity-folded"
        // A command of the owner may fold beside the serving process.
        configuration.busyMode = .timeout(30)
        // The log has everything: a loss of power may cost transactions, to be folded again, but never leaves half of
        // one.
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -4096")
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { db in
            let found = try Int.fetchOne(db, sql: "PRAGMA user_version")
            if found != FoldedSchema.version { try rebuild(db) }
        }
        return queue
    }

    private static func rebuild(_ db: Database) throws {
        let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        for table in tables { try db.execute(sql: "DROP TABLE \"\(table)\"") }
        try db.execute(sql: FoldedSchema.tables)
        try db.execute(sql: "PRAGMA user_version = \(FoldedSchema.version)")
    }

    /// Returns the position of the last folded entry.
    func sequence() async throws -> LogSequence { try await read { try FoldedTree($0).state().sequence } }

    /// Folds a page beginning with the last folded entry, at `seen`. If that entry differs from the folded entry, or
    /// the log ends before it, this is a different log, such as a backup's, and the file is emptied.
    ///
    /// - Returns: Whether the file matches the log up to the end of the page. If not, the next page is that of
    ///   ``sequence()``.
    /// - Throws: ``StorageError``; `tooNew` at an entry written by a newer version, after folding those before it.
    func fold(_ page: StoredEntries, seen: LogSequence) async throws -> Bool {
        switch try await write({ try Self.fold(page, seen: seen, $0) }) {
        case .folded: return true
        case .otherLog, .otherPosition: return false
        case .refused(let error): throw error.needsUpdate ? StorageError(.tooNew, "\(error)") : error
        }
    }

    private enum Outcome: Sendable {
        case folded, otherLog
        /// A concurrent task folded meanwhile.
        case otherPosition
        case refused(LogError)
    }

    private static func fold(_ page: StoredEntries, seen: LogSequence, _ db: Database) throws -> Outcome {
        var tree = try FoldedTree(db)
        guard tree.state().sequence == seen else { return .otherPosition }
        var entries = page.entries[...]
        let known = seen > .zero ? entries.popFirst()?.position : .start
        guard known == tree.state().position else {
            try rebuild(db)
            return .otherLog
        }
        guard !entries.isEmpty else { return .folded }
        for entry in entries {
            do { try fold(entry, at: page.now, into: &tree) } catch let error as LogError {
                try tree.save()
                return .refused(error)
            }
        }
        try tree.save()
        return .folded
    }

    private static func fold(_ entry: StoredEntry, at now: Int64, into tree: inout FoldedTree) throws {
        let batch: ChangeBatch
        do { batch = try ChangeBatch(decoding: entry.payload) } catch {
            // The entry is void for every device, so also for the server.
            guard case .damaged = error else { throw error }
            return try ContainerReducer().foldVoid(at: entry.position, into: &tree)
        }
        tree.origin = FoldedTree.Origin(
            device: batch.deviceName, time: batch.time, arrived: entry.arrived ?? now)
        let isVoid = try ContainerReducer().isVoid(batch, in: tree)
        let removed = isVoid ? [] : try tree.removedVersions(batch)
        _ = try ContainerReducer().fold(batch, at: entry.position, into: &tree)
        guard !isVoid else { return }
        try tree.forget(removed)
        try tree.forgetDeletions(batch)
    }

    /// Whether the file was removed because it was damaged. The next use of the container opens a new file.
    var isDiscarded: Bool { discarded.load(ordering: .relaxed) }

    /// Removes the file. Existing readers still read the old file.
    func discard() {
        guard !discarded.exchange(true, ordering: .relaxed) else { return }
        FoldedFiles.remove(path)
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        do { return try await queue.read(body) } catch { throw repaired(error) }
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        do { return try await queue.write(body) } catch { throw repaired(error) }
    }

    /// Handles damage to this file. Nothing is lost: it is rebuilt from the log.
    private func repaired(_ error: any Error) -> any Error {
        guard !(error is CancellationError) else { return error }
        let failure = error is ByteCodingError ? damagedTree : StorageError.of(error)
        guard failure.code == .damaged else { return failure }
        discard()
        return StorageError(.failed, "\(damagedTree.message) Try again.", cause: error)
    }
}
