import GRDB
import GRDBSQLite

/// The SQL function `seal(…)`: 64 bits that depend on the type and each byte of all its arguments.
///
/// Every table stores it for its rows in a generated column, so that SQLite writes it with the row, whatever statement
/// changes it, and a flipped byte is detected. For the reasons see docs/decisions/0013-rows-are-sealed.md.
enum RowSeal {
    static let column = "seal"

    /// Registers the function. Must be called for each connection: without it no row of a sealed table can be written.
    static func register(in db: Database) throws {
        // Innocuous: a schema of any origin may use it (sqlite.org/c3ref/c_deterministic.html).
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
        let code = sqlite3_create_function_v2(
            db.sqliteConnection, column, -1, flags, nil,
            { context, count, values in
                var seal = Seal()
                for index in 0..<Int(count) { seal.combine(values?[index]) }
                sqlite3_result_int64(context, Int64(bitPattern: seal.value))
            }, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    /// Returns the SQL expression of a row's seal.
    static func expression(_ columns: [String]) -> String { "seal(\(columns.joined(separator: ", ")))" }
}

/// Each step is a bijection of the state for a given word and of the word for a given state: rows differing in one word
/// always differ in their seals.
private struct Seal {
    private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

    mutating func combine(_ value: OpaquePointer?) {
        let type = sqlite3_value_type(value)
        combine(UInt64(type))
        switch type {
        case SQLITE_INTEGER: combine(UInt64(bitPattern: sqlite3_value_int64(value)))
        case SQLITE_FLOAT: combine(sqlite3_value_double(value).bitPattern)
        case SQLITE_NULL: break
        default: combineBytes(of: value)
        }
    }

    private mutating func combineBytes(of value: OpaquePointer?) {
        let start = sqlite3_value_blob(value)
        let bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
        combine(UInt64(bytes.count))
        var position = 0
        while position + 8 <= bytes.count {
            combine(bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            position += 8
        }
        var rest: UInt64 = 0
        for byte in bytes[position...] { rest = rest << 8 | UInt64(byte) }
        combine(rest)
    }

    private mutating func combine(_ word: UInt64) {
        value = (value ^ word) &* 0xBF58_476D_1CE4_E5B9
        value ^= value >> 31
    }
}
