package import CloudModel
import GRDB

/// Looks at what the disk holds, not at what this process remembers of it.
extension MetadataDatabase {
    /// Runs SQLite's own consistency check; empty when all is well.
    package func integrityProblems() throws -> [String] {
        do {
            return try withFreshReader { try String.fetchAll($0, sql: "PRAGMA integrity_check(100)") }.filter {
                $0 != "ok"
            }
        } catch let error as DatabaseError {
            // Too damaged to be looked through to its end.
            return [error.message ?? error.resultCode.description]
        }
    }

    /// What SQLite does not see: rows that have other bytes than were written, at most `limit` of each table, and tables that are
    /// defined otherwise; each with the path of the item that it touches. Throws `damaged` where SQLite can not go through it.
    package func sealProblems(limit: Int) throws -> [(problem: RowProblem, path: [ItemName])] {
        try describing {
            try withFreshReader { db in
                try db.transaction("BEGIN DEFERRED") {
                    let transaction = MetadataTransaction(db)
                    return try transaction.sealProblems(limit: limit).map { problem in
                        // Where the path cannot be read either, the report goes without it.
                        (problem, (try? problem.node.map(transaction.local.path)) ?? [])
                    }
                }
            }
        }
    }

    /// A quicker look than the other two, which leaves out the indexes: the first problem, nil when there is none.
    package func firstProblem() -> String? {
        do {
            let found = try withFreshReader { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
            if let found, found != "ok" { return found }
            return try sealProblems(limit: 1).first?.problem.what
        } catch { return (error as? DatabaseError)?.message ?? "\(error)" }
    }

    /// A connection that has read no page yet: the others would answer out of their memory.
    private func withFreshReader<T>(_ body: (Database) throws -> T) throws -> T {
        let reader = try DatabaseConnections.reader(path: path)
        // What can not be closed now is closed when it is released.
        defer { try? reader.close() }
        return try reader.inDatabase(body)
    }
}
