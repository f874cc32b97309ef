import GRDBSQLite

/// A connection of a program that does not know that its tables are shared.
final class Connection {
    private var handle: OpaquePointer?

    init(_ path: String) throws {
        try check(sqlite3_open(path, &handle))
    }

    deinit { sqlite3_close_v2(handle) }

    func run(_ sql: String) throws { try check(sqlite3_exec(handle, sql, nil, nil, nil)) }

    /// Runs a prepared statement for each row, with values bound from 1.
    func run(_ sql: String, for rows: [BenchRow]) throws {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
        defer { sqlite3_finalize(statement) }
        let count = sqlite3_bind_parameter_count(statement)
        for row in rows {
            // Makes SQLite copy the bytes.
            let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            try check(sqlite3_bind_text(statement, 1, row.key, -1, copied))
            if count > 1 { try check(sqlite3_bind_text(statement, 2, row.name, -1, copied)) }
            if count > 2 { try check(sqlite3_bind_int64(statement, 3, row.amount)) }
            guard sqlite3_step(statement) == SQLITE_DONE else { throw failure() }
            sqlite3_reset(statement)
        }
    }

    private func check(_ code: CInt) throws {
        guard code == SQLITE_OK else { throw failure() }
    }

    private func failure() -> BenchFailure { BenchFailure(String(cString: sqlite3_errmsg(handle))) }
}

struct BenchRow {
    let key: String
    let name: String
    let amount: Int64
}

struct BenchFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
