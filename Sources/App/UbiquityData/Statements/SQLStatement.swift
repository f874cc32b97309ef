import GRDB
import GRDBSQLite
import Records

/// A SQLite statement preserving the exact bytes of values. GRDB's statements end a text at its first NUL, and replace
/// invalid UTF-8; a row read back changed would be an edit in itself.
final class SQLStatement {
    private let sql: String
    private let connection: SQLiteConnection?
    private let handle: SQLiteStatement?

    init(_ sql: String, _ db: Database) throws {
        self.sql = sql
        connection = db.sqliteConnection
        var handle: SQLiteStatement?
        let code = sqlite3_prepare_v2(db.sqliteConnection, sql, -1, &handle, nil)
        self.handle = handle
        guard code == SQLITE_OK else { throw Self.error(code, connection, sql) }
    }

    deinit { sqlite3_finalize(handle) }

    /// Runs the statement to its end. `body` must not run the same statement again.
    func run(_ values: [RecordValue] = [], _ body: (SQLRow) throws -> Void = { _ in }) throws {
        defer {
            // The error of the last step, already thrown.
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        for (place, value) in values.enumerated() {
            let code = bind(value, at: CInt(truncatingIfNeeded: place + 1))
            guard code == SQLITE_OK else { throw Self.error(code, connection, sql) }
        }
        while true {
            let code = sqlite3_step(handle)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw Self.error(code, connection, sql) }
            try body(SQLRow(handle: handle))
        }
    }

    private func bind(_ value: RecordValue, at place: CInt) -> CInt {
        // Requests a copy of the bytes by SQLite.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: return sqlite3_bind_null(handle, place)
        case .integer(let number): return sqlite3_bind_int64(handle, place, number)
        case .real(let number): return sqlite3_bind_double(handle, place, number)
        case .text(let bytes):
            // An additional byte, because an empty array may have no address, and that would be NULL.
            return (bytes + [0]).withUnsafeBytes { buffer in
                sqlite3_bind_text64(
                    handle, place, buffer.bindMemory(to: CChar.self).baseAddress, UInt64(bytes.count), copied,
                    UInt8(SQLITE_UTF8))
            }
        case .blob(let bytes):
            return (bytes + [0]).withUnsafeBytes { buffer in
                sqlite3_bind_blob64(handle, place, buffer.baseAddress, UInt64(bytes.count), copied)
            }
        }
    }

    private static func error(_ code: CInt, _ connection: SQLiteConnection?, _ sql: String) -> DatabaseError {
        let message = connection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
        return DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: sql)
    }
}

/// A statement's current row. Valid only until the next step.
struct SQLRow {
    fileprivate let handle: SQLiteStatement?

    subscript(place: Int) -> RecordValue {
        let column = CInt(truncatingIfNeeded: place)
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: return .number(sqlite3_column_double(handle, column))
        case SQLITE_TEXT: return .text(bytes(sqlite3_column_text(handle, column), column))
        case SQLITE_BLOB: return .blob(bytes(sqlite3_column_blob(handle, column), column))
        default: return .null
        }
    }

    func integer(_ place: Int) -> Int64 { sqlite3_column_int64(handle, CInt(truncatingIfNeeded: place)) }

    func values(_ places: Range<Int>) -> [RecordValue] { places.map { self[$0] } }

    private func bytes(_ start: UnsafeRawPointer?, _ column: CInt) -> [UInt8] {
        guard let start else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    private func bytes(_ start: UnsafePointer<UInt8>?, _ column: CInt) -> [UInt8] {
        bytes(start.map { UnsafeRawPointer($0) }, column)
    }
}
