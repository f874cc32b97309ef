import Basics
import GRDB
import Glibc
package import Logging
import Synchronization

import struct Foundation.Data

/// The one SQLite file that says what is on this device: the three trees of each container, the outbox, what is wanted, and the settings.
///
/// Everything the device has to do follows from these rows, so they are the truth: blobs without a row are garbage, and what the kernel
/// caches is derived. docs/STORAGE.md describes the tables; ``Schema`` holds the rules that SQLite itself enforces.
///
/// Invariants:
/// - One writer at a time, readers beside it (WAL). A reader sees the state of one commit.
/// - A transaction that returned survives the end of the process. It survives a loss of power after ``makeDurable()``.
/// - After a failed sync no later sync is trusted until the files were rewritten (``LogSync``, ``UnsyncedDatabase``).
/// - A row has a seal over its bytes, so that a flipped bit is found and never synced (``RowSeal``).
/// - Watchers run after the commit, outside of the transaction and without a connection.
///
/// It must not contain decisions of sync, touch blobs, or hand out a connection beyond a closure. Values that a column cannot hold are
/// errors (`damaged`), never traps: the file may have been changed by anything.
package final class MetadataDatabase: Sendable {
    let connections: DatabaseConnections
    let path: String
    private let sync: LogSync
    private let log: Logger
    private let onCall: (@Sendable (DatabaseCall) throws -> Void)?
    private let space: DatabaseSpace
    private let writeCount = Atomic<UInt64>(0)
    let rowChanges = RowChangeLog()

    /// Opens or makes the database.
    ///
    /// - Throws: `tooNew` when a newer version of this program wrote it, `damaged` when it is no database.
    ///
    /// With `mayHaveLostPower` commits missing in the middle of the log are no damage: what was not synced may be gone in any part.
    /// `onCall` runs before each call that changes the disk; a test makes it fail there, or ends the process.
    package init(
        path: String, log: Logger, mayHaveLostPower: Bool = false,
        onCall: (@Sendable (DatabaseCall) throws -> Void)? = nil
    ) throws {
        self.path = path
        self.log = log
        self.onCall = onCall
        sync = LogSync(path: path, log: log)
        space = DatabaseSpace(path: path)
        try UnsyncedDatabase(path: path).renew()
        do {
            // After a loss of power a hole is what was not synced, and so was reported to no program.
            let hasLostCommits = !mayHaveLostPower && WriteAheadLog.isDamaged("\(path)-wal")
            space.beforeOpening()
            // Open until the others are: the first connection has SQLite give up the blocks of its index.
            let first = try Self.looking(at: path)
            defer { withExtendedLifetime(first) {} }
            // Rows older than what was appended to the log would be appended as changes.
            guard !hasLostCommits else {
                throw Self.damaged(path, "the newest changes in its write-ahead log are lost")
            }
            let hasLog = WriteAheadLog.isPresent("\(path)-wal")
            connections = try DatabaseConnections(path: path, readers: 4, sync: sync, space: space, log: log) {
                try Schema.migrator.migrate($0)
            }
            connections.writer.inDatabase { rowChanges.follow($0) }
            if hasLog { resetLog() }
            space.opened()
        } catch let error as DatabaseError { throw Self.describe(error, path: path) }
    }

    /// Has the log that another process left written from its start: what that one began and never ended would stand behind our commits,
    /// where it looks like damage. It keeps its blocks, which a full disk would not give back.
    private func resetLog() {
        do { try connections.writer.inDatabase { _ = try $0.checkpoint(.restart) } } catch {
            if let error = error as? DatabaseError { sync.note(error) }
            log.warning("the database's log could not be reset", metadata: ["error": "\(error)"])
        }
    }

    /// Throws `tooNew` for a database of a newer version. Looks without writing: opening to write would already tidy up the write-ahead log.
    package static func refuseNewer(_ path: String) throws { _ = try looking(at: path) }

    /// A connection to a database that is there, which is not newer.
    private static func looking(at path: String) throws -> DatabaseQueue? {
        guard access(path, F_OK) == 0 else { return nil }
        var (connection, isNewer): (DatabaseQueue, Bool)
        do { (connection, isNewer) = try isSuperseded(path, isReadOnly: true) } catch let error as DatabaseError {
            // What a loss of power left of a first start may have to be rolled back, which only a writer can.
            guard error.resultCode == .SQLITE_READONLY else { throw error }
            (connection, isNewer) = try isSuperseded(path, isReadOnly: false)
        }
        guard !isNewer else {
            throw MetadataError(
                .tooNew,
                "\(path) was written by a newer version of ubiquity. Install that version; nothing was changed.")
        }
        return connection
    }

    private static func isSuperseded(_ path: String, isReadOnly: Bool) throws -> (DatabaseQueue, Bool) {
        var configuration = Configuration()
        configuration.readonly = isReadOnly
        let connection = try DatabaseQueue(path: path, configuration: configuration)
        return (connection, try connection.read { try Schema.migrator.hasBeenSuperseded($0) })
    }

    /// Runs `body` in a read transaction: one snapshot, never waits for the writer.
    package func read<T>(_ body: (MetadataTransaction) throws -> T) throws -> T {
        do {
            return try connections.withReader { db in
                try db.transaction("BEGIN DEFERRED") { try body(MetadataTransaction(db)) }
            }
        } catch let error as DatabaseError { throw Self.describe(error, path: path) }
    }

    /// Runs `body` in a write transaction that leaves the reserve of a full disk alone; nothing of it happens when it throws.
    package func write<T>(_ body: (MetadataTransaction) throws -> T) throws -> T { try write(.ordinary, body) }

    /// Runs `body` in a write transaction; nothing of it happens when it throws.
    ///
    /// - Parameter use: Decides what happens on a full disk: only what frees space goes on then.
    /// - Throws: `noSpace` where the disk is full. `body` may have been run twice by then.
    package func write<T>(_ use: SpaceUse, _ body: (MetadataTransaction) throws -> T) throws -> T {
        do { return try writeAndTell(use, body) } catch let error as DatabaseError {
            sync.note(error)
            // The room for the log that was seen before it may not have been enough for a large one.
            guard error.isOfFullDisk, use != .ordinary else { throw Self.describe(error, path: path) }
        }
        do { return try writeAndTell(use, body) } catch let error as DatabaseError {
            throw Self.describe(error, path: path)
        }
    }

    /// Makes the reserve of a full disk whole again, as far as the disk has room: to be called when space became free, before others take it.
    package func replenishReserve() {
        space.replenish()
        // It fails where there is no room, and is tried again with the next transaction.
        _ = try? write(.freeing) { _ in }
    }

    private func writeAndTell<T>(_ use: SpaceUse, _ body: (MetadataTransaction) throws -> T) throws -> T {
        let (result, changes) = try writeOnce(use, body)
        // Not on the connection: others may write while the watcher runs.
        rowChanges.notify(changes)
        return result
    }

    private func writeOnce<T>(_ use: SpaceUse, _ body: (MetadataTransaction) throws -> T) throws -> (T, RowChanges) {
        try connections.writer.inDatabase { db in
            try space.prepare(use, db)
            // Counted also where the commit fails: one sync too many does no harm.
            defer {
                sync.noteCommit()
                writeCount.add(1, ordering: .relaxed)
            }
            let transaction = MetadataTransaction(db)
            var (isGrowing, isCommitted) = (false, false)
            defer { if isGrowing { space.ended(isCommitted: isCommitted) } }
            do {
                let result = try db.transaction("BEGIN IMMEDIATE") {
                    let result = try body(transaction)
                    isGrowing = try space.admit(use, db)
                    try onCall?(.commit)
                    return result
                }
                isCommitted = true
                try onCall?(.committed)
                return (result, rowChanges.take(transaction.memory))
            } catch {
                rowChanges.drop()
                throw error
            }
        }
    }

    /// Goes up with each write transaction: whether something may be different since.
    package var writes: UInt64 { writeCount.load(ordering: .relaxed) }

    /// Calls `watcher` after each transaction with the rows of the local tree that it changed, on the thread that ran it.
    package func watchRows(_ watcher: @escaping @Sendable (RowChanges) -> Void) { rowChanges.watch(watcher) }

    /// Returns when every transaction that returned before this call survives the loss of power. Once it has failed it fails for
    /// ever (`notDurable`), as the disk may have lost any of them.
    package func makeDurable() throws { try sync.run { try onCall?(.sync) } }

    /// Why nothing that was or will be committed is durable; nil as long as the disk has taken all. The database is then not to be
    /// closed in order: that would carry over what may not be in the log any more.
    package var syncFailure: MetadataError? { sync.failure }

    /// Calls `action` when ``syncFailure`` comes to be, from any thread, or now if it is.
    package func onSyncFailure(_ action: @escaping @Sendable (MetadataError) -> Void) { sync.onFailure(action) }

    /// Closes it with everything in the one file: nothing is left in the log of writes.
    package func closeWhole() throws {
        do {
            // Not cut off: the disk may be full, and the next start needs its blocks.
            try connections.writer.inDatabase { _ = try $0.checkpoint(.restart) }
        } catch let error as DatabaseError {
            sync.note(error)
            throw Self.describe(error, path: path)
        }
        try close()
    }

    package func close() throws {
        sync.close()
        guard sync.failure == nil else { return }
        space.beforeClosing()
        try connections.close()
        space.closed()
    }

    deinit {
        // SQLite carries the log over when its last connection goes; pages that a failed sync has lost would go into the database.
        if sync.failure != nil { _ = Unmanaged.passRetained(connections) }
    }

    /// Says what SQLite said in words of ours.
    func describing<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch let error as DatabaseError { throw Self.describe(error, path: path) }
    }

    private static func damaged(_ path: String, _ why: String) -> MetadataError {
        MetadataError(
            .damaged,
            "The metadata database \(path) is damaged (\(why)). Nothing was changed. "
                + "Run `ubiquity check`; `ubiquity reset` rebuilds it and keeps unsynced edits.")
    }

    private static func describe(_ error: DatabaseError, path: String) -> MetadataError {
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            damaged(path, error.message ?? "no detail")
        case _ where error.isOfFullDisk:
            MetadataError(
                .noSpace,
                "No space left on this device for \(path). Delete or evict documents, or free some space on that disk.")
        default: MetadataError(.unusable, "\(path): \(error.message ?? error.resultCode.description)")
        }
    }
}

extension DatabaseError {
    /// SQLite has an error of its own for the file that indexes its log.
    fileprivate var isOfFullDisk: Bool {
        resultCode == .SQLITE_FULL || extendedResultCode == .SQLITE_IOERR_SHMSIZE
    }
}
