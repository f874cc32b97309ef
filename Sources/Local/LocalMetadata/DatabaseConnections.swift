import Basics
import Dispatch
import GRDB
import Logging

/// The connections to the database file: a writer, several concurrent readers, and one for checkpoints of the
/// write-ahead log, so that no writer waits for these and their two disk syncs.
final class DatabaseConnections: Sendable {
    let writer: DatabaseQueue
    /// The right to use the writer; a short read only takes it if it is free.
    private let turn = DispatchSemaphore(value: 1)
    private let path: String
    /// The idle readers; nil once they are closed. Each is opened on first use.
    private let idle = RankedMutex<[DatabaseQueue]?>(.leaf, [])
    /// The number of additional readers that may run.
    private let free: DispatchSemaphore
    private let readerCount: Int
    private let checkpoint: Checkpoint

    /// Opens or creates the file, and prepares it with `prepare` before any read.
    init(
        path: String, readers count: Int, sync: LogSync, space: DatabaseSpace, log: Logger,
        prepare: (DatabaseQueue) throws -> Void
    ) throws {
        writer = try DatabaseQueue(path: path, configuration: Self.configuration(isReadOnly: false))
        try prepare(writer)
        // Folding a batch touches pages all over the trees; pages beyond the cache are written and read again within
        // the transaction.
        try writer.inDatabase { db in
            try db.execute(sql: "PRAGMA cache_size = -16000")
            // The folder for temporary files may be on the full disk.
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        free = DispatchSemaphore(value: count)
        readerCount = count
        self.path = path
        checkpoint = Checkpoint(sync: sync, space: space, log: log) {
            try DatabaseQueue(path: path, configuration: Self.configuration(isReadOnly: false))
        }
        checkpoint.follow(writer)
    }

    /// Opens an additional reader; the caller closes it.
    static func reader(path: String) throws -> DatabaseQueue {
        try DatabaseQueue(path: path, configuration: configuration(isReadOnly: true))
    }

    private static func configuration(isReadOnly: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = isReadOnly
        if !isReadOnly { configuration.journalMode = .wal }
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            try RowSeal.register(in: db)
            // NORMAL: a commit is in the file, but not durable. fsync(2) of a document waits for `makeDurable`.
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
            try db.execute(sql: "PRAGMA cache_size = -4000")
            try db.execute(sql: "PRAGMA journal_size_limit = 67108864")
        }
        return configuration
    }

    /// Runs `body` with the writing connection.
    func withWriter<Result>(_ body: (Database) throws -> Result) rethrows -> Result {
        LockRank.databaseWriter.enter()
        turn.wait()
        defer {
            turn.signal()
            LockRank.databaseWriter.leave()
        }
        return try writer.inDatabase(body)
    }

    /// Runs `body` with the writing connection, whose cached pages are current; returns nil immediately if it is in use
    /// or closed.
    func withIdleWriter<Result>(_ body: (Database) throws -> Result) rethrows -> Result? {
        guard turn.wait(timeout: .now()) == .success else { return nil }
        defer { turn.signal() }
        guard idle.withLock({ $0 != nil }) else { return nil }
        return try writer.inDatabase(body)
    }

    /// Runs `body` with an unshared connection.
    func withReader<Result>(_ body: (Database) throws -> Result) throws -> Result {
        free.wait()
        defer { free.signal() }
        let reader = try takeReader()
        defer { idle.withLock { $0?.append(reader) } }
        return try reader.inDatabase(body)
    }

    private func takeReader() throws -> DatabaseQueue {
        let known = try idle.withLock { idle in
            guard idle != nil else { throw MetadataError(.unusable, "The database was closed.") }
            return idle?.popLast()
        }
        return try known ?? DatabaseQueue(path: path, configuration: Self.configuration(isReadOnly: true))
    }

    func close() throws {
        for _ in 0..<readerCount { free.wait() }
        let readers = idle.withLock { $0.take() }
        // Later callers find it closed and get an error.
        for _ in 0..<readerCount { free.signal() }
        for reader in readers ?? [] { try reader.close() }
        try checkpoint.close()
        // A look-up on the writer has ended, or finds the readers closed.
        turn.wait()
        defer { turn.signal() }
        // Closing the last connection checkpoints the rest of the log and removes it.
        try writer.close()
    }
}
