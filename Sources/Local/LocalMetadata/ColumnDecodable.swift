/// A type decoded from a row of some query.
protocol ColumnDecodable {
    init(columns: Columns) throws
    /// Decodes a row whose meaning depends on more than the row.
    init(columns: Columns, in transaction: MetadataTransaction) throws
}

extension ColumnDecodable {
    init(columns: Columns, in transaction: MetadataTransaction) throws { try self.init(columns: columns) }
}
