package import CloudModel

/// The folded log of a shared database, as read and written by ``RecordReducer``.
package protocol RecordStore {
    func rules(of table: RecordName) throws -> TableRules?
    /// Sets or replaces a table's rules; ``rows(matching:in:columns:)`` and ``children(of:)`` follow them from then on.
    mutating func setRules(_ rules: TableRules) throws

    /// Returns a row, tombstones included. Does not follow aliases.
    func row(_ id: RowID) throws -> Record?
    /// Inserts, replaces or removes a row. Only a united row is removed.
    mutating func put(_ row: Record?, _ id: RowID) throws

    /// Returns the row this row became; nil if it stands for itself.
    func alias(of id: RowID) throws -> RecordAlias?
    mutating func setAlias(_ id: RowID, to target: RecordAlias) throws

    /// Returns the live rows of a table, ascending.
    func liveRows(of table: RecordName) throws -> [RowID]
    /// Returns the live rows with these values in the columns, which are unique or a natural key by the table's rules;
    /// ascending.
    func rows(matching values: [RecordValue], in table: RecordName, columns: [RecordName]) throws -> [RowID]
    /// Returns a row's live children by their tables' rules, ascending.
    func children(of id: RowID) throws -> [RowID]
    /// Returns the rows standing aside, of all tables, ascending.
    func asideRows() throws -> [RowID]

    /// Keeps a lost value.
    mutating func lose(_ value: LostValue) throws

    /// Returns the number of the device's last folded file; 0 before its first.
    func lastFile(of device: DeviceID) throws -> UInt64
    mutating func setLastFile(_ number: UInt64, of device: DeviceID, name: String) throws
}

extension RecordStore {
    /// Returns an id's current row.
    package func resolved(_ id: RowID) throws -> RowID {
        var (id, steps) = (id, 0)
        while steps < RecordAlias.maximumChain, let alias = try alias(of: id) {
            id = RowID(table: id.table, key: alias.key)
            steps += 1
        }
        return id
    }
}
