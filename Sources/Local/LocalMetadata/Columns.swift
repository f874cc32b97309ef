import GRDB
import GRDBSQLite

import struct Foundation.Data

/// The row that a statement stands on, read through SQLite's own functions. GRDB's `Row` copies each value and gathers the names of
/// the columns first, which takes several times as long as to find the row.
struct Columns {
    fileprivate let statement: SQLiteStatement

    func isNull(_ index: Int) -> Bool { sqlite3_column_type(statement, CInt(index)) == SQLITE_NULL }

    subscript(index: Int) -> Int64 { sqlite3_column_int64(statement, CInt(index)) }

    subscript(index: Int) -> Int64? { isNull(index) ? nil : self[index] as Int64 }

    subscript(index: Int) -> Bool { self[index] as Int64 != 0 }

    /// The bytes of a blob or text, without a copy; empty for NULL.
    func withBytes<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let start = sqlite3_column_blob(statement, CInt(index))
        // Asked for in this order, as the first call may convert the value (sqlite.org/c3ref/column_blob.html).
        let count = sqlite3_column_bytes(statement, CInt(index))
        return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count)))
    }

    func bytes(_ index: Int) -> [UInt8] { withBytes(index) { Array($0) } }

    subscript(index: Int) -> Data { withBytes(index) { Data($0) } }

    subscript(index: Int) -> Data? { isNull(index) ? nil : self[index] as Data }

    subscript(index: Int) -> String { withBytes(index) { String(decoding: $0, as: UTF8.self) } }

    subscript(index: Int) -> String? { isNull(index) ? nil : self[index] as String }
}

extension Database {
    /// Hands out the rows of a query until `body` answers false. `body` must not run the same query.
    func forEachRow(
        _ sql: String, _ arguments: StatementArguments, _ body: (Columns) throws -> Bool
    ) throws {
        let statement = try cachedStatement(sql: sql)
        try statement.setArguments(arguments)
        defer { sqlite3_reset(statement.sqliteStatement) }
        while try step(statement), try body(Columns(statement: statement.sqliteStatement)) {}
    }

    /// Runs a statement that answers nothing.
    func perform(_ sql: String, _ arguments: StatementArguments = []) throws {
        let statement = try cachedStatement(sql: sql)
        try statement.setArguments(arguments)
        defer { sqlite3_reset(statement.sqliteStatement) }
        _ = try step(statement)
    }

    /// As above, of values that need no conversion.
    func perform(_ sql: String, values: [ColumnValue]) throws {
        let statement = try cachedStatement(sql: sql)
        let raw = statement.sqliteStatement
        defer {
            sqlite3_reset(raw)
            sqlite3_clear_bindings(raw)
        }
        for (index, value) in values.enumerated() where value.bind(to: raw, at: CInt(index + 1)) != SQLITE_OK {
            throw failure(SQLITE_NOMEM, statement)
        }
        _ = try step(statement)
    }

    /// True for a row, false at the end.
    private func step(_ statement: Statement) throws -> Bool {
        let code = sqlite3_step(statement.sqliteStatement)
        if code == SQLITE_ROW { return true }
        guard code != SQLITE_DONE else { return false }
        throw failure(code, statement)
    }

    private func failure(_ code: CInt, _ statement: Statement) -> DatabaseError {
        let message = sqlite3_errmsg(sqliteConnection).map { String(cString: $0) }
        return DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: statement.sql)
    }

    /// Runs `body` in a transaction that `begin` opens; nothing of it happens when it throws.
    func transaction<Result>(_ begin: String, _ body: () throws -> Result) throws -> Result {
        try perform(begin)
        do {
            let result = try body()
            try perform("COMMIT")
            return result
        } catch {
            // Some failures have rolled back already (sqlite.org/lang_transaction.html); the first error is the one to tell.
            if isInsideTransaction { try? perform("ROLLBACK") }
            throw error
        }
    }
}
