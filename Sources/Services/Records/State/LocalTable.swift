/// A table as the schema of one device has it. Schemas differ as long as devices run different versions of a program.
package struct LocalTable: Hashable, Sendable {
    package let name: RecordName
    package let key: [RecordName]
    /// The columns but those of the key, with the values that rows have for which no device wrote one.
    package let defaults: [RecordName: RecordValue]

    package init(name: RecordName, key: [RecordName], defaults: [RecordName: RecordValue]) {
        self.name = name
        self.key = key
        self.defaults = defaults
    }

    /// Returns the values of a row as this device shows it; nil for one that is deleted, aside, or has a key of other columns.
    package func values(of row: Record, _ id: RowID) -> [RecordName: RecordValue]? {
        guard row.isLive, id.table == name, id.key.values.count == key.count else { return nil }
        var values = Dictionary(zip(key, id.key.values)) { first, _ in first }
        for (column, value) in defaults { values[column] = row.columns[column]?.value ?? value }
        return values
    }

    /// Returns the columns of a row that wait until this device's program is updated.
    package func waiting(in row: Record) -> Set<RecordName> { Set(row.columns.keys).subtracting(defaults.keys) }
}
