/// How a process uses a database. It keeps a migration apart from everything else: an advisory lock of the session,
/// released with the connection holding it.
enum PostgresUse: Sendable {
    /// Serves the database, or is a command of its owner. Each connection holds the lock shared before its first
    /// transaction, and no connection stays open to a database with the mark of a migration. So nothing can be
    /// committed while a migration holds the lock, or after its mark.
    case shared
    /// Has the database for itself, as a migration does.
    case exclusive

    /// Takes the lock for a new connection.
    ///
    /// - Throws: ``StorageError``; `inUse` if a concurrent process's use excludes this, or the database has the mark of
    ///   a migration.
    func enter(_ address: PostgresAddress, _ connection: PostgresConnection) throws {
        let isGranted = try PostgresLocks.enter(self, connection)
        switch self {
        case .shared:
            guard isGranted else {
                throw StorageError(
                    .inUse,
                    "Another command has the database \(address) for itself, such as `ubiquity-server migrate`. Wait until that has ended."
                )
            }
            try MigrationMark.requireNone(in: "\(address)", PostgresTransaction(connection))
        case .exclusive:
            guard isGranted else {
                throw StorageError(
                    .inUse,
                    """
                    A process uses the database \(address): a server, or a command of its owner. End all of them first. If there is \
                    none, PostgreSQL has not noticed the end of one yet; restart PostgreSQL, or wait for its TCP keepalives.
                    """)
            }
        }
    }
}
