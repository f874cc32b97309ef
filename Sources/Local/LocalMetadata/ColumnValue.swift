import CloudModel
import GRDB
import GRDBSQLite

/// A value to store in a column, without the boxes and copies of `DatabaseValueConvertible`.
enum ColumnValue: Equatable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
    case id(ItemID)
    case digest(Digest)

    static func flag(_ value: Bool) -> ColumnValue { .integer(value ? 1 : 0) }

    static func optional(_ value: Int64?) -> ColumnValue { value.map { .integer($0) } ?? .null }

    static func optional(_ value: String?) -> ColumnValue { value.map { .text($0) } ?? .null }

    /// Returns the value for some bytes; NULL if there are none.
    static func some(_ bytes: [UInt8]) -> ColumnValue { bytes.isEmpty ? .null : .bytes(bytes) }

    /// Binds the value. SQLite copies it (`SQLITE_TRANSIENT`), so it need not outlive the call.
    func bind(to statement: SQLiteStatement, at index: CInt) -> CInt {
        switch self {
        case .null: sqlite3_bind_null(statement, index)
        case .integer(let value): sqlite3_bind_int64(statement, index, value)
        case .text(let value): sqlite3_bind_text(statement, index, value, -1, Self.copied)
        case .bytes(let value): sqlite3_bind_blob(statement, index, value, CInt(value.count), Self.copied)
        case .id(let id): Self.bind((id.high.bigEndian, id.low.bigEndian), to: statement, at: index)
        case .digest(let digest):
            Self.bind(
                (
                    digest.words.0.bigEndian, digest.words.1.bigEndian, digest.words.2.bigEndian,
                    digest.words.3.bigEndian
                ), to: statement, at: index)
        }
    }

    private static func bind<Words>(_ words: Words, to statement: SQLiteStatement, at index: CInt) -> CInt {
        withUnsafeBytes(of: words) { sqlite3_bind_blob(statement, index, $0.baseAddress, CInt($0.count), copied) }
    }

    /// `SQLITE_TRANSIENT`, a cast of -1 that Swift does not import.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}
