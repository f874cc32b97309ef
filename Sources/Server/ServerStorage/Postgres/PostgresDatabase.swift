import NIOPosix
import Synchronization

/// A server's database in PostgreSQL, in concurrent use by any number of processes.
///
/// Commits run in READ COMMITTED under advisory locks, taken before their first statement: shared that of the server
/// and exclusive that of their account, or exclusive that of the server (``CommitScope``). Two commits with a row in
/// common have such a lock in common, so they are serializable, and neither has to be retried. Reads are REPEATABLE
/// READ and wait for nothing.
final class PostgresDatabase: StorageDatabase {
    private let pool: PostgresPool
    private let readers: NIOThreadPool
    private let writers: NIOThreadPool
    private let lanes: [PostgresLane]
    /// For commits concerning any account.
    private let wide: PostgresLane
    private let next = Atomic(0)
    /// The connection with the lock of a process with exclusive use of the database.
    private let holder: Mutex<PostgresConnection?>

    /// Fewer lanes form larger groups, with a lower cost for each commit; more lanes are held up less by an account
    /// locked by a remote process.
    private static let laneCount = 2
    private static let readerCount = 4

    /// Connects, and creates or migrates the schema. Blocks.
    ///
    /// - Throws: ``StorageError``; `tooNew` for a schema unknown to this version, `notFound` if there is none and none
    ///   may be created, `inUse` if a concurrent process's use of the database excludes this.
    init(
        _ address: PostgresAddress, mayCreate: Bool = true, bounds: PostgresBounds = PostgresBounds(),
        use: PostgresUse = .shared
    ) throws {
        pool = PostgresPool(address, bounds, use)
        do {
            try PostgresSchema.prepare(address, mayCreate: mayCreate)
            let connection = use == .exclusive ? try PostgresConnection(address, bounds: bounds) : nil
            if let connection { try use.enter(address, connection) }
            holder = Mutex(connection)
        } catch { throw StorageError.of(error) }
        readers = NIOThreadPool(numberOfThreads: Self.readerCount)
        writers = NIOThreadPool(numberOfThreads: Self.laneCount + 1)
        readers.start()
        writers.start()
        lanes = (0..<Self.laneCount).map { [pool, writers] _ in PostgresLane(pool, writers) }
        wide = PostgresLane(pool, writers)
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> T) async throws -> T {
        try await connected { try Self.read($0, body) }
    }

    var isRemote: Bool { true }

    func readOnce<T: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> T) async throws -> T {
        try await connected { try body(SingleStatement(PostgresTransaction($0))) }
    }

    private func connected<T: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> T
    ) async throws -> T {
        let deadline = ContinuousClock.now + pool.bounds.patience
        do {
            return try await readers.runIfActive { [pool] in try pool.repeating(until: deadline, body) }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw StorageError.of(error)
        }
    }

    func readAtOnce<T>(_ body: (any StorageTransaction) throws -> T) throws -> T {
        do {
            return try pool.repeating(until: .now + pool.bounds.patience) { try Self.read($0, body) }
        } catch { throw StorageError.of(error) }
    }

    private static func read<T>(
        _ connection: PostgresConnection, _ body: (any StorageTransaction) throws -> T
    ) throws -> T {
        let transaction = PostgresTransaction(connection)
        try connection.enqueue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        let result = Result { try body(transaction) }
        // Its result is not waited for, so that a read of one statement is a single round trip.
        if connection.isUsable {
            try connection.enqueue("ROLLBACK")
            try connection.post()
        }
        return try result.get()
    }

    func commit<T: Sendable>(
        _ scope: CommitScope, _ body: @escaping @Sendable (any StorageTransaction) throws -> T
    ) async throws -> T {
        try await commit(scope, nil) { _, db in try body(db) }
    }

    func commit<T: Sendable>(
        _ scope: CommitScope, after query: StorageQuery,
        _ body: @escaping @Sendable ([StorageRow], any StorageTransaction) throws -> T
    ) async throws -> T {
        try await commit(scope, query, body)
    }

    private func commit<T: Sendable>(
        _ scope: CommitScope, _ query: StorageQuery?,
        _ body: @escaping @Sendable ([StorageRow], any StorageTransaction) throws -> T
    ) async throws -> T {
        let lane =
            switch scope {
            // A fixed lane for each account, so that the lanes of a process do not wait for each other.
            case .account(let account): lanes[Int(truncatingIfNeeded: account & .max) % lanes.count]
            case .statement: lanes[next.wrappingAdd(1, ordering: .relaxed).oldValue & .max % lanes.count]
            case .all: wide
            }
        do { return try await lane.commit(scope, query, body) } catch { throw StorageError.of(error) }
    }

    /// Whether the server syncs commits before it acknowledges them (`fsync`, `synchronous_commit`).
    func isDurable() async throws -> Bool {
        try await read { db in
            let fsync = try db.value(String.self, "SELECT current_setting('fsync')")
            let commit = try db.value(String.self, "SELECT current_setting('synchronous_commit')")
            return fsync == "on" && commit != "off"
        }
    }

    /// Checks that this process has had the database for itself since ``init(_:mayCreate:bounds:use:)``, with
    /// `exclusive`.
    ///
    /// - Throws: ``StorageError`` if the connection with the lock was lost.
    func requireExclusiveUse() async throws {
        do {
            try await readers.runIfActive { [self] in try holder.withLock { _ = try $0?.run("SELECT 1") } }
        } catch { throw StorageError.of(error) }
    }

    func acquire(_ lock: StorageLock, _ mode: StorageLock.Mode) async throws -> HeldLock? {
        let deadline = ContinuousClock.now + pool.bounds.patience
        do {
            return try await readers.runIfActive { [pool] in
                let connection = try pool.borrow(until: deadline) { try PostgresLocks.acquire(lock, mode, $0) }
                guard let connection else { return nil }
                return HeldLock {
                    PostgresLocks.release(lock, mode, connection)
                    pool.give(back: connection)
                }
            }
        } catch { throw StorageError.of(error) }
    }

    func copy(to path: String) throws {
        throw StorageError(
            .unsupported, "Rows in PostgreSQL are backed up with its own tools, such as pg_dump and pg_basebackup.")
    }

    func close() throws {
        try readers.syncShutdownGracefully()
        try writers.syncShutdownGracefully()
        pool.close()
        holder.withLock { $0 = nil }
    }
}
