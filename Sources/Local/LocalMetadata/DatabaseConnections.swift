import Dispatch
import GRDB
import Logging
import Synchronization

/// The connections to the one database file: one that writes, some that read concurrently, and one that checkpoints the write-ahead log, so
/// that no writer waits for that and its two syncs of the disk.
final class DatabaseConnections: Sendable {
    let writer: DatabaseQueue
    /// The right to use the writer, which a short read only takes if it is free.
    private let turn = DispatchSemaphore(value: 1)
    private let path: String
    /// The idle readers; nil once they are closed. Each is opened when it is first needed.
    private let idle = Mutex<[DatabaseQueue]?>([])
    /// Counts how many more readers may run.
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
        // Folding a batch touches pages all over the trees; pages that do not fit are written and read again within the transaction.
        try writer.inDatabase { db in
            try db.execute(sql: "PRAGMA cache_size = -16000")
            // The folder for temporary files may be on the disk that is full.
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

    /// Opens one more reader, which the caller closes.
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

    /// Runs `body` with the connection that writes.
    func withWriter<Result>(_ body: (Database) throws -> Result) rethrows -> Result {
        turn.wait()
        defer { turn.signal() }
        return try writer.inDatabase(body)
    }

    /// Runs `body` with the connection that writes, whose cached pages are the present ones; returns nil at once where it is in use or closed.
    func withIdleWriter<Result>(_ body: (Database) throws -> Result) rethrows -> Result? {
        guard turn.wait(timeout: .now()) == .success else { return nil }
        defer { turn.signal() }
        guard idle.withLock({ $0 != nil }) else { return nil }
        return try writer.inDatabase(body)
    }

    /// Runs `body` with a connection that it does not share.
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
