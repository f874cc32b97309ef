/// The values of a row's primary key, in the table's column order.
package struct RecordKey: Hashable, Comparable, Sendable {
    package static let maximumColumns = 16
    package let values: [RecordValue]

    /// Returns nil for a key without columns, with too many, or with a NULL, as NULL identifies no row.
    package init?(_ values: [RecordValue]) {
        guard (1...Self.maximumColumns).contains(values.count), !values.contains(.null) else { return nil }
        self.values = values
    }

    package static func < (left: RecordKey, right: RecordKey) -> Bool {
        left.values.lexicographicallyPrecedes(right.values)
    }
}

/// A row of a shared database. All devices give it the same key, so keys are created without coordination: a UUID, or a
/// combination of them.
package struct RowID: Hashable, Comparable, Sendable {
    package let table: RecordName
    package let key: RecordKey

    package init(table: RecordName, key: RecordKey) {
        self.table = table
        self.key = key
    }

    package static func < (left: RowID, right: RowID) -> Bool {
        left.table == right.table ? left.key < right.key : left.table < right.table
    }
}
