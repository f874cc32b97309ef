/// A table in a device's schema. Schemas differ as long as devices run different versions of a program.
package struct LocalTable: Hashable, Sendable {
    package let name: RecordName
    package let key: [RecordName]
    /// The non-key columns, with the defaults for rows without a written value.
    package let defaults: [RecordName: RecordValue]

    package init(name: RecordName, key: [RecordName], defaults: [RecordName: RecordValue]) {
        self.name = name
        self.key = key
        self.defaults = defaults
    }

    /// Returns a row's values as shown by this device; nil if it is deleted, aside, or has a different number of key
    /// columns.
    package func values(of row: Record, _ id: RowID) -> [RecordName: RecordValue]? {
        guard row.isLive, id.table == name, id.key.values.count == key.count else { return nil }
        var values = Dictionary(zip(key, id.key.values)) { first, _ in first }
        for (column, value) in defaults { values[column] = row.columns[column]?.value ?? value }
        return values
    }

    /// Returns a row's columns pending an update of this device's program.
    package func waiting(in row: Record) -> Set<RecordName> { Set(row.columns.keys).subtracting(defaults.keys) }
}
