import CloudModel
import GRDB
import GRDBSQLite

import struct Foundation.Data

/// A row of a result, read straight from SQLite. GRDB's `Row` copies each value and builds a dictionary of all column
/// names for each query, which takes longer than the query.
///
/// SQLite converts values to the requested type (sqlite.org/c3ref/column_blob.html), so only ``count(_:)`` can fail.
struct Columns {
    fileprivate let statement: SQLiteStatement

    private func isNull(_ index: Int) -> Bool { sqlite3_column_type(statement, CInt(index)) == SQLITE_NULL }

    func integer(_ index: Int) -> Int64 { sqlite3_column_int64(statement, CInt(index)) }
    func optionalInteger(_ index: Int) -> Int64? { isNull(index) ? nil : integer(index) }
    func unsigned(_ index: Int) -> UInt64 { UInt64(bitPattern: integer(index)) }
    func bool(_ index: Int) -> Bool { integer(index) != 0 }
    func data(_ index: Int) -> Data { withBytes(index) { Data($0) } }
    func optionalData(_ index: Int) -> Data? { isNull(index) ? nil : data(index) }
    func bytes(_ index: Int) -> [UInt8] { withBytes(index) { Array($0) } }
    func text(_ index: Int) -> String { withBytes(index) { String(decoding: $0, as: UTF8.self) } }
    func optionalText(_ index: Int) -> String? { isNull(index) ? nil : text(index) }

    /// Returns a size, or a number that is incremented: a negative or the largest number would crash the process later.
    func count(_ index: Int) throws -> UInt64 {
        let value = integer(index)
        guard (0...Int64.max).contains(value) else { throw MetadataError.damagedRow("the count \(value)") }
        return UInt64(value)
    }

    /// Returns a position of a log from the columns of its number and its digest.
    func position(_ number: Int, _ digest: Int) throws -> LogPosition {
        guard let known = Digest(bytes(digest)) else { throw MetadataError.damagedRow("a digest of another length") }
        return LogPosition(LogSequence(try count(number)), known)
    }

    /// Passes the bytes of a blob or text to `body` without copying; none for NULL.
    private func withBytes<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let start = sqlite3_column_blob(statement, CInt(index))
        // After the first call, which may convert the value.
        let count = sqlite3_column_bytes(statement, CInt(index))
        return body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count)))
    }
}

extension Database {
    /// Passes the rows of a query to `body` until it returns false. `body` must not run the same query.
    func forEachRow(_ sql: String, _ values: StatementValues, _ body: (Columns) throws -> Bool) throws {
        try withStatement(sql, values) { statement in
            while try step(statement), try body(Columns(statement: statement.sqliteStatement)) {}
        }
    }

    /// Returns the first column of the first row; nil if it is NULL or there is no row.
    func optionalNumber(_ sql: String, _ values: StatementValues = []) throws -> Int64? {
        var number: Int64?
        try forEachRow(sql, values) { columns in
            number = columns.optionalInteger(0)
            return false
        }
        return number
    }

    /// Runs a statement without result rows.
    func perform(_ sql: String, _ values: StatementValues = []) throws {
        try withStatement(sql, values) { _ = try step($0) }
    }

    /// As above, for values without existential containers: for statements with many of them.
    func perform(_ sql: String, values: [ColumnValue]) throws {
        try withStatement(sql, values) { _ = try step($0) }
    }

    /// As ``forEachRow(_:_:_:)``, for values without existential containers.
    func forEachRow(_ sql: String, values: [ColumnValue], _ body: (Columns) throws -> Bool) throws {
        try withStatement(sql, values) { statement in
            while try step(statement), try body(Columns(statement: statement.sqliteStatement)) {}
        }
    }

    private func withStatement(_ sql: String, _ values: StatementValues, _ body: (Statement) throws -> Void) throws {
        try withStatement(sql, values.count, body) { index, statement in
            let place = CInt(index + 1)
            return values[index]?.bind(to: statement, at: place) ?? sqlite3_bind_null(statement, place)
        }
    }

    private func withStatement(_ sql: String, _ values: [ColumnValue], _ body: (Statement) throws -> Void) throws {
        try withStatement(sql, values.count, body) { values[$0].bind(to: $1, at: CInt($0 + 1)) }
    }

    /// Runs `body` with a prepared statement after binding its parameters with `bind`.
    private func withStatement(
        _ sql: String, _ count: Int, _ body: (Statement) throws -> Void, bind: (Int, SQLiteStatement) -> CInt
    ) throws {
        let statement = try cachedStatement(sql: sql)
        let raw = statement.sqliteStatement
        guard sqlite3_bind_parameter_count(raw) == count else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "\(count) values are not one for each parameter", sql: sql)
        }
        defer {
            sqlite3_reset(raw)
            if count > 0 { sqlite3_clear_bindings(raw) }
        }
        for index in 0..<count {
            let code = bind(index, raw)
            guard code == SQLITE_OK else { throw failure(code, statement) }
        }
        try body(statement)
    }

    /// Returns true for a row, false at the end.
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

    /// Runs `body` in a transaction opened by `begin`; rolls back when it throws.
    func transaction<Result>(_ begin: String, _ body: () throws -> Result) throws -> Result {
        try perform(begin)
        do {
            let result = try body()
            try perform("COMMIT")
            return result
        } catch {
            // Some failures have rolled back already (sqlite.org/lang_transaction.html); the first error is thrown.
            if isInsideTransaction { try? perform("ROLLBACK") }
            throw error
        }
    }
}
