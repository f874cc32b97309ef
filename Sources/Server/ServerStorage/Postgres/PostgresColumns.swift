import CPostgres
import Foundation

/// The columns of a result.
struct PostgresColumns {
    private let names: [String]
    private let columns: [PostgresColumn]

    init(of result: OpaquePointer) {
        columns = (0..<PQnfields(result)).map {
            PostgresColumn(name: String(cString: PQfname(result, $0)), type: PQftype(result, $0))
        }
        names = columns.map(\.name)
    }

    /// Returns the first row of a result with these columns.
    func row(of result: OpaquePointer) throws -> StorageRow {
        StorageRow(
            columns: names, values: try columns.enumerated().map { try $0.element.value(of: result, Int32($0.offset)) })
    }

    /// Returns the number of bytes in the first row of a result.
    static func bytes(of result: OpaquePointer) -> Int {
        (0..<PQnfields(result)).reduce(0) { $0 + Int(PQgetlength(result, 0, $1)) }
    }
}

/// A column of a result, with values in the binary format.
private struct PostgresColumn {
    private enum Kind { case integer, boolean, text, bytes, void, unknown }

    let name: String
    private let kind: Kind

    init(name: String, type: UInt32) {
        self.name = name
        kind =
            switch type {
            case 20, 21, 23, 26: .integer
            case 16: .boolean
            // text, varchar, name, and literals without a type.
            case 25, 1_043, 19, 705: .text
            case 17: .bytes
            case 2_278: .void
            default: .unknown
            }
    }

    func value(of result: OpaquePointer, _ index: Int32) throws -> StorageValue {
        guard PQgetisnull(result, 0, index) == 0, let start = PQgetvalue(result, 0, index) else { return .null }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, 0, index)))
        switch kind {
        case .integer:
            // Sign extension from 2, 4 or 8 bytes.
            let negative = bytes.first.map { $0 & 0x80 != 0 } ?? false
            return .integer(bytes.reduce(negative ? -1 : 0) { $0 << 8 | Int64($1) })
        case .boolean: return .integer(bytes.first == 0 ? 0 : 1)
        case .text: return .text(String(decoding: bytes, as: UTF8.self))
        case .bytes: return .bytes(Data(bytes))
        case .void: return .null
        case .unknown:
            throw PostgresError(
                kind: .refused(state: "42804"), message: "Column \(name) has a type that is not read here.")
        }
    }
}
