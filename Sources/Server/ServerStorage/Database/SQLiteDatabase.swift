import GRDB
import Glibc
import NIOPosix

/// A server's database in SQLite: readers beside a single writer, and every commit durable before its caller continues.
final class SQLiteDatabase: StorageDatabase {
    private let pool: DatabasePool
    private let commits: CommitQueue
    /// The folder with the lock files.
    private let folder: String

    /// Opens or creates the database. Throws `tooNew` for a database written by a newer version, before changing
    /// anything in it.
    init(path: String) throws {
        folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        do {
            pool = try DatabasePool(path: path, configuration: Self.configuration)
            guard try !pool.read(ServerSchema.migrator.hasBeenSuperseded) else {
                throw StorageError(
                    .tooNew,
                    "\(path) was written by a newer version of ubiquity-server. Install that one; nothing was changed.")
            }
            try ServerSchema.migrator.migrate(pool)
            // FULL syncs the write-ahead log with every commit (sqlite.org/pragma.html#pragma_synchronous); GRDB sets
            // NORMAL.
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
                try db.execute(sql: "PRAGMA journal_size_limit = 67108864")
            }
        } catch { throw StorageError.of(error) }
        commits = CommitQueue(pool)
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "ubiquity-server"
        configuration.maximumReaderCount = 4
        // Commands of the server's owner write beside the serving process.
        configuration.busyMode = .timeout(5)
        return configuration
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> T) async throws -> T {
        do { return try await pool.read { try body(SQLiteTransaction(db: $0)) } } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw StorageError.of(error)
        }
    }

    var isRemote: Bool { false }

    func readOnce<T: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> T) async throws -> T {
        try await read { try body(SingleStatement($0)) }
    }

    func readAtOnce<T>(_ body: (any StorageTransaction) throws -> T) throws -> T {
        do { return try pool.read { try body(SQLiteTransaction(db: $0)) } } catch { throw StorageError.of(error) }
    }

    /// Runs `body` in a transaction, together with others that arrive meanwhile. SQLite has a single writer, whatever
    /// the scope.
    func commit<T: Sendable>(
        _ scope: CommitScope, _ body: @escaping @Sendable (any StorageTransaction) throws -> T
    ) async throws -> T {
        do { return try await commits.commit { try body(SQLiteTransaction(db: $0)) } } catch {
            throw StorageError.of(error)
        }
    }

    func acquire(_ lock: StorageLock, _ mode: StorageLock.Mode) async throws -> HeldLock? {
        do {
            return try await NIOThreadPool.singleton.runIfActive { [folder] in
                try HeldLock.file("\(folder)/\(lock.rawValue)", mode)
            }
        } catch { throw StorageError.of(error) }
    }

    func copy(to path: String) throws {
        let target = try DatabaseQueue(path: path)
        try pool.backup(to: target)
        try target.close()
    }

    /// Whether the writing connection's `PRAGMA synchronous` is 2, meaning FULL.
    func isDurable() async throws -> Bool {
        try await pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") == 2 }
    }

    func close() throws { try pool.close() }
}
