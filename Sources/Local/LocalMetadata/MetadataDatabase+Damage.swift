package import CloudModel
import GRDB

/// Checks the contents of the disk, not the caches of this process.
extension MetadataDatabase {
    /// Runs SQLite's own consistency check; returns no problems if the database is intact.
    package func integrityProblems() throws -> [String] {
        do {
            return try withFreshReader { try String.fetchAll($0, sql: "PRAGMA integrity_check(100)") }.filter {
                $0 != "ok"
            }
        } catch let error as DatabaseError {
            // The database is too damaged for a complete check.
            return [error.message ?? error.resultCode.description]
        }
    }

    /// Returns damage undetected by SQLite: corrupt rows, at most `limit` of each table, and tables with a different
    /// definition; each with the affected item's path. Throws `damaged` if SQLite cannot read the database.
    package func sealProblems(limit: Int) throws -> [(problem: RowProblem, path: [ItemName])] {
        try describing {
            try withFreshReader { db in
                try db.transaction("BEGIN DEFERRED") {
                    let transaction = MetadataTransaction(db, diverged: diverged)
                    return try transaction.sealProblems(limit: limit).map { problem in
                        // If the path cannot be read either, the report omits it.
                        (problem, (try? problem.node.map(transaction.local.path)) ?? [])
                    }
                }
            }
        }
    }

    /// Runs a faster check than the two above, without the indexes. Returns the first problem, nil if there is none.
    package func firstProblem() -> String? {
        do {
            let found = try withFreshReader { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
            if let found, found != "ok" { return found }
            return try sealProblems(limit: 1).first?.problem.what
        } catch { return (error as? DatabaseError)?.message ?? "\(error)" }
    }

    /// Runs `body` on a new connection with an empty page cache.
    private func withFreshReader<T>(_ body: (Database) throws -> T) throws -> T {
        let reader = try DatabaseConnections.reader(path: path)
        // If it cannot be closed now, it is closed when it is released.
        defer { try? reader.close() }
        return try reader.inDatabase(body)
    }
}
