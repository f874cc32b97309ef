import Records

/// A shared table as this device has it.
struct TableSchema: Hashable, Sendable {
    /// How edits of a column merge.
    enum Merge: Hashable, Sendable { case replace, counter, set, conflict }

    struct Column: Hashable, Sendable {
        let name: RecordName
        /// The value of rows for which no device wrote one.
        let preset: RecordValue
        let merge: Merge
    }

    let name: RecordName
    let key: [RecordName]
    /// Those columns of the key that are not declared NOT NULL. Triggers refuse NULL in them, because a row without a key is no row of another
    /// device.
    let nullableKey: [RecordName]
    /// The stored columns but those of the key, in the table's order.
    let columns: [Column]
    /// The columns of the unique constraints but the primary key.
    let uniques: [[RecordName]]
    let references: [TableRules.Reference]
    let unify: [RecordName]
    /// A name of the rowid that is no column's; nil for a table without one.
    let rowid: String?

    func rules(version: UInt64) -> TableRules {
        TableRules(
            table: name, version: version, key: key, unify: unify, uniques: uniques, references: references)
    }

    /// The columns in which two rows cannot agree.
    var constrained: Set<RecordName> { Set(uniques.joined()) }

    /// `one.a = two.a AND …` for the columns of the key.
    func sameKey(_ one: String, _ two: String) -> String { Self.same(key, one, two) }

    static func same(_ columns: [RecordName], _ one: String, _ two: String) -> String {
        columns.map { "\(one).\($0.quoted) = \(two).\($0.quoted)" }.joined(separator: " AND ")
    }

    static func list(_ columns: [RecordName], of table: String = "") -> String {
        columns.map { table.isEmpty ? $0.quoted : "\(table).\($0.quoted)" }.joined(separator: ", ")
    }
}
