package import Basics
package import CloudModel
import GRDB
import Glibc
package import Logging
import Synchronization

import struct Foundation.Data

/// The SQLite file with the state of this device: the three trees of each container, the outbox, the wanted downloads,
/// and the settings.
///
/// All of the device's work follows from these rows, so they are the truth: blobs without a row are garbage, and the
/// kernel's caches are derived. docs/STORAGE.md describes the tables; ``Schema`` holds the rules enforced by SQLite
/// itself.
///
/// Invariants:
/// - One writer at a time, with concurrent readers (WAL). A reader sees the state of a single commit.
/// - A returned transaction survives the end of the process. It survives a power failure after ``makeDurable()``.
/// - After a failed sync no later sync is trusted until the files were rewritten (``LogSync``, ``UnsyncedDatabase``).
/// - A row has a seal over its bytes, so a flipped bit is found and never synced (``RowSeal``).
/// - Watchers run after the commit, outside of the transaction and without a connection.
///
/// It must not contain sync decisions, touch blobs, or pass a connection out of a closure. Values outside a column's
/// range are errors (`damaged`), never traps: anything may have changed the file.
package final class MetadataDatabase: Sendable {
    let connections: DatabaseConnections
    let path: String
    private let sync: LogSync
    private let log: Logger
    private let onCall: (@Sendable (DatabaseCall) throws -> Void)?
    private let space: DatabaseSpace
    private let writeCount = Atomic<UInt64>(0)
    /// The number of started write transactions; equal to ``writes`` while none runs.
    private let begunWrites = Atomic<UInt64>(0)
    let recentRows = RecentRows()
    package let costs = RequestCosts()
    let rowChanges = RowChangeLog()
    let numbers = NodeNumbers()
    let declarations = KnownDeclarations()
    package let diverged = DivergedContainers()

    /// Opens or creates the database.
    ///
    /// - Throws: `tooNew` if a newer version of this program wrote it, `damaged` if it is no database.
    ///
    /// With `mayHaveLostPower`, commits missing in the middle of the log are no damage: any unsynced part may be lost.
    /// `onCall` runs before each call that changes the disk; a test lets it fail there, or ends the process.
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
            // After a power failure a hole is unsynced data, which no program was promised to be durable.
            let hasLostCommits = !mayHaveLostPower && WriteAheadLog.isDamaged("\(path)-wal")
            space.beforeOpening()
            // Kept open until the rest are: closing the first connection makes SQLite free the blocks of its index.
            let first = try Self.looking(at: path)
            defer { withExtendedLifetime(first) {} }
            // Rows older than the entries appended to the log would be appended again as changes.
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

    /// Restarts the log left by an earlier process. A transaction begun but never committed there would stay behind new
    /// commits, where it looks like damage. The log keeps its blocks, which a full disk would not provide again.
    private func resetLog() {
        do { try connections.writer.inDatabase { _ = try $0.checkpoint(.restart) } } catch {
            if let error = error as? DatabaseError { sync.note(error) }
            log.warning("the database's log could not be reset", metadata: ["error": "\(error)"])
        }
    }

    /// Throws `tooNew` for a database of a newer version. Only reads: opening for writing would already checkpoint the write-ahead log.
    package static func refuseNewer(_ path: String) throws { _ = try looking(at: path) }

    /// Opens a connection to an existing database of this or an older version.
    private static func looking(at path: String) throws -> DatabaseQueue? {
        guard access(path, F_OK) == 0 else { return nil }
        var (connection, isNewer): (DatabaseQueue, Bool)
        do { (connection, isNewer) = try isSuperseded(path, isReadOnly: true) } catch let error as DatabaseError {
            // A power failure during a first start may leave changes to roll back, which needs a writer.
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

    /// Runs `body` in a read transaction, on one snapshot and without waiting for the writer.
    package func read<T>(_ body: (MetadataTransaction) throws -> T) throws -> T {
        costs.add(.reads)
        do {
            return try connections.withReader { db in
                try db.transaction("BEGIN DEFERRED") { try body(MetadataTransaction(db, diverged: diverged)) }
            }
        } catch let error as DatabaseError { throw Self.describe(error, path: path) }
    }

    /// As ``read(_:)`` for a few rows. While nothing is written it uses the writer's connection: a reader has to read
    /// its pages again after each commit.
    package func look<T>(_ body: (MetadataTransaction) throws -> T) throws -> T {
        do {
            // Without a transaction around the statements: nothing else can write meanwhile.
            let found = try connections.withIdleWriter { db in
                costs.add(.reads)
                return try body(MetadataTransaction(db, diverged: diverged))
            }
            if let found { return found }
        } catch let error as DatabaseError { throw Self.describe(error, path: path) }
        return try read(body)
    }

    /// Returns an item's row: without a transaction if it was changed or read a moment ago, and nothing is being
    /// written.
    package func item(_ node: NodeID) throws -> LocalItem? {
        if snapshot != nil, let known = recentRows[node] { return known }
        return try keeping { try $0.local.item(node) }
    }

    /// Returns the row of the item of that name.
    package func item(named name: ItemName, in folder: NodeID) throws -> LocalItem? {
        try keeping { try $0.local.item(named: name, in: folder) }
    }

    /// Returns the nodes whose rows in memory differ from the database, for tests: there must be none.
    package func staleRows() throws -> [NodeID] {
        let known = recentRows.all
        return try read { transaction in
            try known.filter { try transaction.local.item($0.node) != $0 }.map(\.node)
        }
    }

    /// Returns the containers whose declarations in memory differ from the database, for tests: there must be none.
    package func staleDeclarations() throws -> [ContainerID] {
        let known = declarations.all
        return try read { transaction in
            try known.filter { try transaction.local.declarations(of: $0.key) != $0.value }.map(\.key)
        }
    }

    /// Reads a row that may soon be requested again.
    private func keeping(_ body: (MetadataTransaction) throws -> LocalItem?) throws -> LocalItem? {
        let before = snapshot
        let item = try look(body)
        if let item, before != nil { recentRows.keep(item) { snapshot == before } }
        return item
    }

    /// Runs `body` in a write transaction without access to a full disk's reserve; rolls back when it throws.
    package func write<T>(_ body: (MetadataTransaction) throws -> T) throws -> T { try write(.ordinary, body) }

    /// Runs `body` in a write transaction; rolls back when it throws.
    ///
    /// - Parameter use: Decides the behavior on a full disk: only space-freeing transactions continue then.
    /// - Throws: `noSpace` if the disk is full. `body` may have been run twice by then.
    package func write<T>(_ use: SpaceUse, _ body: (MetadataTransaction) throws -> T) throws -> T {
        do { return try writeAndTell(use, body) } catch let error as DatabaseError {
            sync.note(error)
            // The log's earlier room may not have been enough for a large transaction.
            guard error.isOfFullDisk, use != .ordinary else { throw Self.describe(error, path: path) }
        }
        do { return try writeAndTell(use, body) } catch let error as DatabaseError {
            throw Self.describe(error, path: path)
        }
    }

    /// Refills the reserve of a full disk, as far as it has space. Call it when space became free, before anything uses
    /// it.
    package func replenishReserve() {
        space.replenish()
        // It fails if there is no room, and is retried with the next transaction.
        _ = try? write(.freeing) { _ in }
    }

    private func writeAndTell<T>(_ use: SpaceUse, _ body: (MetadataTransaction) throws -> T) throws -> T {
        let (result, changes) = try writeOnce(use, body)
        // Called without the connection, so that writes can proceed while the watcher runs.
        rowChanges.notify(changes)
        return result
    }

    private func writeOnce<T>(_ use: SpaceUse, _ body: (MetadataTransaction) throws -> T) throws -> (T, RowChanges) {
        try connections.withWriter { db in
            beginWrite()
            defer { endWrite() }
            try space.prepare(use, db)
            // Counted even if the commit fails: one sync too many does no harm.
            defer { sync.noteCommit() }
            let transaction = MetadataTransaction(db, diverged: diverged)
            transaction.memory.numbers = numbers
            transaction.memory.rows = KnownRows(changes: rowChanges, committed: recentRows)
            transaction.memory.declarations = declarations.all
            var (isGrowing, isCommitted) = (false, false)
            defer {
                numbers.transactionEnded(isCommitted: isCommitted)
                for ending in transaction.memory.endings { ending(isCommitted) }
                if isGrowing { space.ended(isCommitted: isCommitted) }
            }
            do {
                let result = try db.transaction("BEGIN IMMEDIATE") {
                    let result = try body(transaction)
                    isGrowing = try space.admit(use, db)
                    try transaction.local.readTouchedFolders()
                    try onCall?(.commit)
                    return result
                }
                isCommitted = true
                let (changes, written) = rowChanges.take(transaction.memory)
                recentRows.update(changes, written: written)
                declarations.all = transaction.memory.declarations
                costs.add(.commits)
                try onCall?(.committed)
                return (result, changes)
            } catch {
                rowChanges.drop()
                throw error
            }
        }
    }

    /// A counter of write transactions: if it is unchanged, so is the database.
    package var writes: UInt64 { writeCount.load(ordering: .sequentiallyConsistent) }

    /// A number of the current rows; nil while a write transaction runs. Data read after taking this number is still
    /// current as long as the number is the same.
    package var snapshot: UInt64? {
        // In this order: if both are equal, none ran when the second was read.
        let ended = writes
        let begun = begunWrites.load(ordering: .sequentiallyConsistent)
        return begun == ended ? begun : nil
    }

    /// Must be called by the sole writer before the first change of a row, and be followed by ``endWrite()``.
    func beginWrite() { begunWrites.add(1, ordering: .sequentiallyConsistent) }

    func endWrite() { writeCount.add(1, ordering: .sequentiallyConsistent) }

    /// Calls `watcher` after each transaction with its changed rows of the local tree, on the transaction's thread.
    package func watchRows(_ watcher: @escaping @Sendable (RowChanges) -> Void) { rowChanges.watch(watcher) }

    /// Returns when every write transaction begun before this call has ended, and the calls it made on ending have
    /// returned.
    package func waitForWriter() { connections.withWriter { _ in } }

    /// Returns when every transaction returned before this call survives a power failure. After a failure it fails
    /// forever (`notDurable`), because the disk may have lost any of them.
    package func makeDurable() throws {
        try sync.run {
            try onCall?(.sync)
            costs.add(.syncs)
        }
    }

    /// Whether ``makeDurable()`` would return without a sync.
    package var isDurable: Bool { sync.isDurable }

    /// Why no past or future commit is durable; nil as long as the disk has accepted all. The database must then not be
    /// closed in order: closing would checkpoint pages possibly missing from the log.
    package var syncFailure: MetadataError? { sync.failure }

    /// Calls `action` when ``syncFailure`` is set, from any thread, or immediately if it is.
    package func onSyncFailure(_ action: @escaping @Sendable (MetadataError) -> Void) { sync.onFailure(action) }

    /// Closes the database as a single file: the write-ahead log is empty.
    ///
    /// - Parameter toleratingReaders: Whether to close it with its log if a reader does not finish in time. The next
    ///   start continues with the log.
    package func closeWhole(toleratingReaders: Bool = false) throws {
        do {
            // Not truncated: the disk may be full, and the next start needs the blocks of the log.
            try connections.writer.inDatabase { _ = try $0.checkpoint(.restart) }
        } catch let error as DatabaseError where toleratingReaders && error.resultCode == .SQLITE_BUSY {
            log.info("the database is closed with its log, because something still reads it")
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
        // SQLite checkpoints the log when its last connection is closed; pages lost by a failed sync would be copied
        // into the database.
        if sync.failure != nil { _ = Unmanaged.passRetained(connections) }
    }

    /// Converts SQLite's errors to ``MetadataError``.
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
    /// SQLite has a separate error for its log's index file.
    fileprivate var isOfFullDisk: Bool {
        resultCode == .SQLITE_FULL || extendedResultCode == .SQLITE_IOERR_SHMSIZE
    }
}
