/// Advisory locks of the server's database (postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS). They
/// have two numbers, for the kind and for the object.
enum PostgresLocks {
    /// "ubi" and a number for the kind.
    private static let kinds = (server: 0x7562_6901, accounts: 0x7562_6902, work: 0x7562_6903)

    /// Enqueues the locks of a group of commits until the end of their transaction.
    static func lock(_ scopes: some Sequence<CommitScope>, _ connection: PostgresConnection) throws {
        let scopes = Set(scopes)
        guard !scopes.contains(.all) else {
            return try connection.enqueue("SELECT pg_advisory_xact_lock(\(kinds.server), 0)")
        }
        try connection.enqueue("SELECT pg_advisory_xact_lock_shared(\(kinds.server), 0)")
        let accounts = Set(
            scopes.compactMap { scope -> Int32? in
                guard case .account(let account) = scope else { return nil }
                return Int32(truncatingIfNeeded: account)
            })
        guard !accounts.isEmpty else { return }
        // In the same order everywhere, so that no two groups wait for each other.
        let list = accounts.sorted().map(String.init).joined(separator: ",")
        try connection.enqueue(
            "SELECT pg_advisory_xact_lock(\(kinds.accounts), a) FROM unnest(string_to_array($1, ',')::int4[]) AS a",
            [list])
    }

    /// Takes the lock of ``PostgresUse`` until the end of the session, unless a concurrent session's use excludes that.
    /// Waits for a moment, because PostgreSQL notices the end of a process a little later.
    ///
    /// - Returns: Whether it was taken.
    static func enter(_ use: PostgresUse, _ connection: PostgresConnection) throws -> Bool {
        let suffix = use == .shared ? "_shared" : ""
        try connection.enqueue("BEGIN")
        try connection.enqueue("SET LOCAL lock_timeout = \(useWait.milliseconds)")
        do { try connection.run("SELECT pg_advisory_lock\(suffix)(\(kinds.work), \(useNumber))") } catch let error
            as PostgresError
        {
            // lock_not_available.
            guard case .refused("55P03") = error.kind else { throw error }
            try connection.run("ROLLBACK")
            return false
        }
        try connection.run("COMMIT")
        return true
    }

    /// The number of the lock of ``PostgresUse``; 0 is that of the schema.
    private static let useNumber = 3
    private static let useWait = Duration.seconds(2)

    /// Locks the migration of the schema until the end of the transaction.
    static func lockSchema(_ connection: PostgresConnection) throws {
        try connection.run("SELECT pg_advisory_xact_lock(\(kinds.work), 0)")
    }

    static func acquire(
        _ lock: StorageLock, _ mode: StorageLock.Mode, _ connection: PostgresConnection
    ) throws -> Bool {
        switch mode {
        case .shared:
            try connection.run("SELECT pg_advisory_lock_shared(\(kinds.work), \(number(of: lock)))")
            return true
        case .exclusive:
            let rows = try connection.rows("SELECT pg_try_advisory_lock(\(kinds.work), \(number(of: lock)))")
            return try rows.first?[0] ?? false
        }
    }

    /// Releases a lock. A broken connection has released it already.
    static func release(_ lock: StorageLock, _ mode: StorageLock.Mode, _ connection: PostgresConnection) {
        let suffix = mode == .shared ? "_shared" : ""
        _ = try? connection.run("SELECT pg_advisory_unlock\(suffix)(\(kinds.work), \(number(of: lock)))")
    }

    private static func number(of lock: StorageLock) -> Int {
        switch lock {
        case .chunks: 1
        case .collection: 2
        }
    }
}
