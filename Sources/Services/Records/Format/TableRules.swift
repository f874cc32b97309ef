/// A table's constraints on its rows. The rules travel in the log like any change, so that all devices merge by the
/// same rules, even with an older program.
package struct TableRules: Hashable, Sendable {
    /// Columns holding the key of a row in a parent table.
    package struct Reference: Hashable, Comparable, Sendable {
        package let columns: [RecordName]
        package let table: RecordName

        package init(columns: [RecordName], table: RecordName) {
            self.columns = columns
            self.table = table
        }

        package static func < (left: Reference, right: Reference) -> Bool {
            left.columns == right.columns
                ? left.table < right.table : left.columns.lexicographicallyPrecedes(right.columns)
        }
    }

    package let table: RecordName
    /// The version of the schema declaring these rules. Rules of an older version never replace them, whatever the
    /// order of arrival.
    package var version: UInt64
    /// The columns of the primary key.
    package var key: [RecordName]
    /// The natural key: two rows with equal values in these columns, none of them NULL, are the same row. Empty if the
    /// table has none.
    package var unify: [RecordName]
    /// Sets of columns whose values must be unique, except for NULL; sorted.
    package var uniques: [[RecordName]]
    /// Sorted.
    package var references: [Reference]

    package init(
        table: RecordName, version: UInt64 = 1, key: [RecordName], unify: [RecordName] = [],
        uniques: [[RecordName]] = [], references: [Reference] = []
    ) {
        self.table = table
        self.version = version
        self.key = key
        self.unify = unify
        self.uniques = uniques.sorted { $0.lexicographicallyPrecedes($1) }
        self.references = references.sorted()
    }

    /// The columns that decide whether a row may stand in its table.
    var constrained: Set<RecordName> { Set(uniques.joined()).union(references.flatMap(\.columns)) }

    /// The names of the table and of all columns, possibly repeated.
    var names: [RecordName] {
        [table] + key + unify + uniques.joined() + references.flatMap { $0.columns + [$0.table] }
    }
}
