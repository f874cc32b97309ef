/// The interface between the stores and a database engine. It knows transactions, but not their contents.
///
/// An engine guarantees:
/// - ``commit(_:_:)`` runs its body in one transaction, serializable with all others if it keeps to its scope. It
///   returns after the changes are durable, and leaves no trace of a body that threw. Bodies of different callers may
///   share a durable write.
/// - ``read(_:)`` sees one consistent state, and waits for no writer.
/// - Errors are ``StorageError``; an error caused by one body fails that body alone.
///
/// Bodies run on threads of the engine. They may run SQL through the transaction and look at files, but must not wait
/// for a different transaction. A body may be run several times, at most once with effect: its effect outside of the
/// transaction must be idempotent.
///
/// A commit with an unknown outcome, because the connection to the database was lost meanwhile, throws.
protocol StorageDatabase: Sendable {
    func read<T: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> T) async throws -> T
    /// Like ``read(_:)``, for a body of at most one statement: it sees one consistent state without a transaction,
    /// saving the statements with which PostgreSQL begins and ends one. Two such reads may see different states.
    func readOnce<T: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> T) async throws -> T
    /// Whether a query is a message to a remote process, so that lookups of many callers should share it
    /// (``BatchedLookup``).
    var isRemote: Bool { get }
    /// Like ``read(_:)``, for the start of a server. Blocks.
    func readAtOnce<T>(_ body: (any StorageTransaction) throws -> T) throws -> T
    /// - Parameter scope: The rows that `body` reads or changes.
    @discardableResult
    func commit<T: Sendable>(
        _ scope: CommitScope, _ body: @escaping @Sendable (any StorageTransaction) throws -> T
    ) async throws -> T
    /// Like ``commit(_:_:)``, for a body that begins with a query: the engine may send those of a group together.
    ///
    /// - Parameter query: Reads rows of `scope`. Its rows are passed to `body`.
    @discardableResult
    func commit<T: Sendable>(
        _ scope: CommitScope, after query: StorageQuery,
        _ body: @escaping @Sendable ([StorageRow], any StorageTransaction) throws -> T
    ) async throws -> T
    /// Acquires a lock between processes; see ``withLock(_:_:_:)``.
    func acquire(_ lock: StorageLock, _ mode: StorageLock.Mode) async throws -> HeldLock?

    /// Whether commits are written through to the disk.
    func isDurable() async throws -> Bool
    /// Copies the database as of one moment, concurrently with writers. Blocks.
    func copy(to path: String) throws
    func close() throws
}

extension StorageDatabase {
    @discardableResult
    func commit<T: Sendable>(
        _ scope: CommitScope, after query: StorageQuery,
        _ body: @escaping @Sendable ([StorageRow], any StorageTransaction) throws -> T
    ) async throws -> T {
        try await commit(scope) { db in try body(db.rows(query.sql, query.arguments), db) }
    }

    /// Commits a change that may concern any account.
    @discardableResult
    func commit<T: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> T) async throws -> T {
        try await commit(.all, body)
    }

    /// Commits a change to a single account.
    @discardableResult
    func commit<T: Sendable>(
        of account: AccountID, _ body: @escaping @Sendable (any StorageTransaction) throws -> T
    ) async throws -> T {
        try await commit(.account(account.value), body)
    }
}
