package import CloudModel

/// What ``RecordReducer`` reads and writes: the folded log of one shared database.
package protocol RecordStore {
    func rules(of table: RecordName) throws -> TableRules?
    /// Sets or replaces a table's rules; ``rows(matching:in:columns:)`` and ``children(of:)`` follow them from then on.
    mutating func setRules(_ rules: TableRules) throws

    /// Returns a row, tombstones included. Does not follow aliases.
    func row(_ id: RowID) throws -> Record?
    /// Inserts, replaces or removes a row. Only a row that became another one is removed.
    mutating func put(_ row: Record?, _ id: RowID) throws

    /// Returns the row that this one became; nil if it stands for itself.
    func alias(of id: RowID) throws -> RecordAlias?
    mutating func setAlias(_ id: RowID, to target: RecordAlias) throws

    /// Returns the live rows of a table, ascending.
    func liveRows(of table: RecordName) throws -> [RowID]
    /// Returns the live rows that have these values in those columns, which are unique or a natural key by the table's rules; ascending.
    func rows(matching values: [RecordValue], in table: RecordName, columns: [RecordName]) throws -> [RowID]
    /// Returns the live rows that refer to a row by their tables' rules, ascending.
    func children(of id: RowID) throws -> [RowID]
    /// Returns the rows that stand aside, of all tables, ascending.
    func asideRows() throws -> [RowID]

    /// Keeps what was lost.
    mutating func lose(_ value: LostValue) throws

    /// Returns the number of the device's last file that was folded; 0 before its first.
    func lastFile(of device: DeviceID) throws -> UInt64
    mutating func setLastFile(_ number: UInt64, of device: DeviceID, name: String) throws
}

extension RecordStore {
    /// Returns the row that an id stands for.
    package func resolved(_ id: RowID) throws -> RowID {
        var (id, steps) = (id, 0)
        while steps < RecordAlias.maximumChain, let alias = try alias(of: id) {
            id = RowID(table: id.table, key: alias.key)
            steps += 1
        }
        return id
    }
}
