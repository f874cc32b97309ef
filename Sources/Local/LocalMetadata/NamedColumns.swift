import CloudModel

import struct Foundation.Data

/// A row with columns named by an enumeration's cases, in their selected order.
struct NamedColumns<Column: RawRepresentable> where Column.RawValue == Int {
    private let columns: Columns

    init(_ columns: Columns) { self.columns = columns }

    func integer(_ column: Column) -> Int64 { columns.integer(column.rawValue) }
    func optionalInteger(_ column: Column) -> Int64? { columns.optionalInteger(column.rawValue) }
    func unsigned(_ column: Column) -> UInt64 { columns.unsigned(column.rawValue) }
    func bool(_ column: Column) -> Bool { columns.bool(column.rawValue) }
    func data(_ column: Column) -> Data { columns.data(column.rawValue) }
    func optionalData(_ column: Column) -> Data? { columns.optionalData(column.rawValue) }
    func bytes(_ column: Column) -> [UInt8] { columns.bytes(column.rawValue) }
    func text(_ column: Column) -> String { columns.text(column.rawValue) }
    func optionalText(_ column: Column) -> String? { columns.optionalText(column.rawValue) }
    func count(_ column: Column) throws -> UInt64 { try columns.count(column.rawValue) }
    func name(_ column: Column) throws -> ItemName { try columns.name(column.rawValue) }

    /// Returns the content of that size, if it has a digest.
    func content(digest: Column, size: UInt64, layout: Column) throws -> ContentReference? {
        try columns.content(digest: digest.rawValue, size: size, layout: layout.rawValue)
    }
}
