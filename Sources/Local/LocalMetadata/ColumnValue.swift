import CloudModel
import GRDB
import GRDBSQLite

import struct Foundation.Data

/// A value bindable to a statement's parameter. GRDB's `DatabaseValueConvertible` copies each value first.
protocol ColumnBindable {
    /// Binds the value and returns SQLite's result code. SQLite copies it (`SQLITE_TRANSIENT`), so it need not outlive the call.
    func bind(to statement: SQLiteStatement, at index: CInt) -> CInt
}

extension Int64: ColumnBindable {
    func bind(to statement: SQLiteStatement, at index: CInt) -> CInt { sqlite3_bind_int64(statement, index, self) }
}

extension Int: ColumnBindable {
    func bind(to statement: SQLiteStatement, at index: CInt) -> CInt { Int64(self).bind(to: statement, at: index) }
}

extension Bool: ColumnBindable {
    func bind(to statement: SQLiteStatement, at index: CInt) -> CInt {
        Int64(self ? 1 : 0).bind(to: statement, at: index)
    }
}

extension String: ColumnBindable {
    func bind(to statement: SQLiteStatement, at index: CInt) -> CInt {
        var text = self
        return text.withUTF8 { UnsafeRawBufferPointer($0).bindText(to: statement, at: index) }
    }
}

extension Data: ColumnBindable {
    func bind(to statement: SQLiteStatement, at index: CInt) -> CInt {
        withUnsafeBytes { $0.bindBlob(to: statement, at: index) }
    }
}

extension [UInt8]: ColumnBindable {
    func bind(to statement: SQLiteStatement, at index: CInt) -> CInt {
        withUnsafeBytes { $0.bindBlob(to: statement, at: index) }
    }
}

extension ItemID: ColumnBindable {
    func bind(to statement: SQLiteStatement, at index: CInt) -> CInt {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { $0.bindBlob(to: statement, at: index) }
    }
}

extension Digest: ColumnBindable {
    func bind(to statement: SQLiteStatement, at index: CInt) -> CInt {
        let bigEndian = (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
        return withUnsafeBytes(of: bigEndian) { $0.bindBlob(to: statement, at: index) }
    }
}

/// A value to store in a column.
enum ColumnValue: Equatable, ColumnBindable {
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

    func bind(to statement: SQLiteStatement, at index: CInt) -> CInt {
        switch self {
        case .null: sqlite3_bind_null(statement, index)
        case .integer(let value): value.bind(to: statement, at: index)
        case .text(let value): value.bind(to: statement, at: index)
        case .bytes(let value): value.bind(to: statement, at: index)
        case .id(let id): id.bind(to: statement, at: index)
        case .digest(let digest): digest.bind(to: statement, at: index)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Binds a copy of the bytes. None are an empty blob: SQLite takes a null pointer for NULL.
    fileprivate func bindBlob(to statement: SQLiteStatement, at index: CInt) -> CInt {
        guard let baseAddress, !isEmpty else { return sqlite3_bind_zeroblob(statement, index, 0) }
        return sqlite3_bind_blob64(statement, index, baseAddress, UInt64(count), Self.copied)
    }

    /// Binds a copy of the bytes as text.
    fileprivate func bindText(to statement: SQLiteStatement, at index: CInt) -> CInt {
        guard let baseAddress, !isEmpty else { return sqlite3_bind_text(statement, index, "", 0, Self.copied) }
        let start = baseAddress.assumingMemoryBound(to: CChar.self)
        return sqlite3_bind_text64(statement, index, start, UInt64(count), Self.copied, UInt8(SQLITE_UTF8))
    }

    /// `SQLITE_TRANSIENT`, a cast of -1 not imported by Swift.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}
