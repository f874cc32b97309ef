/// An error of PostgreSQL or of a connection to it.
struct PostgresError: Error, CustomStringConvertible {
    enum Kind: Sendable {
        /// The server refused a statement. `state` is its SQLSTATE
        /// (postgresql.org/docs/current/errcodes-appendix.html).
        case refused(state: String)
        /// The connection could not be established, broke, or was silent for too long. Nothing of an open transaction
        /// was stored.
        case lost
        /// The connection broke while a commit was under way.
        case unknownOutcome
    }

    let kind: Kind
    /// The primary message of the server or of libpq; it has neither passwords nor values of rows.
    let message: String

    var description: String { message }

    private var state: String? { if case .refused(let state) = kind { state } else { nil } }

    /// Whether the server ends the connection: it stops, or it became a replica.
    var endsConnection: Bool {
        switch kind {
        case .lost, .unknownOutcome: true
        // 25006: the server does not accept changes (any longer). 0A000: a concurrent process changed a table under a
        // prepared statement.
        case .refused(let state): state.hasPrefix("57P") || ["25006", "0A000"].contains(state) || state.hasPrefix("08")
        }
    }

    /// Whether a retried transaction may succeed, and this transaction has certainly not changed anything.
    var isWorthRepeating: Bool {
        switch kind {
        case .lost: true
        case .unknownOutcome: false
        // Serialization failures and deadlocks (class 40), and too many connections.
        case .refused(let state): endsConnection || ["40001", "40P01", "53300"].contains(state)
        }
    }

    /// Whether only the statement is to blame, and not the server, its disk or the transaction: classes of values,
    /// constraints and limits.
    var concernsOneBody: Bool { state.map { ["22", "23", "42", "54"].contains($0.prefix(2)) } ?? false }
}

extension StorageError {
    /// Returns the meaning of a PostgreSQL error; nil for an error without a specific meaning.
    static func ofPostgres(_ error: any Error) -> StorageError? {
        guard let error = error as? PostgresError else { return nil }
        switch error.kind {
        case .lost: return StorageError(.busy, "The server's database cannot be reached; try again soon.", cause: error)
        case .unknownOutcome:
            return StorageError(
                .failed,
                "The connection to the database was lost, so it is unknown whether this was stored; try again.",
                cause: error)
        case .refused(let state):
            switch state {
            case "53100": return diskFull(error)
            case "XX001", "XX002":
                return StorageError(
                    .damaged, "The server's database is damaged. Restore it from a backup.", cause: error)
            case "22021": return StorageError(.invalid, "A text has bytes that cannot be stored.", cause: error)
            case _ where error.isWorthRepeating || ["57014", "55P03"].contains(state):
                return StorageError(.busy, "The server's database is too busy; try again soon.", cause: error)
            default: return nil
            }
        }
    }
}
