import Records

/// A shared table on this device.
struct TableSchema: Hashable, Sendable {
    /// How edits of a column merge.
    enum Merge: Hashable, Sendable { case replace, counter, set, conflict }

    struct Column: Hashable, Sendable {
        let name: RecordName
        /// The value of rows without a written value.
        let preset: RecordValue
        let merge: Merge
    }

    let name: RecordName
    let key: [RecordName]
    /// Key columns not declared NOT NULL. Triggers refuse NULL in them, because a row without a key is no row of
    /// another device.
    let nullableKey: [RecordName]
    /// The stored columns except the key, in the table's order.
    let columns: [Column]
    /// The unique constraints' columns, except the primary key.
    let uniques: [[RecordName]]
    let references: [TableRules.Reference]
    let unify: [RecordName]
    /// A rowid alias not used by a column; nil for a table without rowid.
    let rowid: String?

    func rules(version: UInt64) -> TableRules {
        TableRules(
            table: name, version: version, key: key, unify: unify, uniques: uniques, references: references)
    }

    /// The columns restricted by uniqueness.
    var constrained: Set<RecordName> { Set(uniques.joined()) }

    /// `one.a = two.a AND …` for the key columns.
    func sameKey(_ one: String, _ two: String) -> String { Self.same(key, one, two) }

    static func same(_ columns: [RecordName], _ one: String, _ two: String) -> String {
        columns.map { "\(one).\($0.quoted) = \(two).\($0.quoted)" }.joined(separator: " AND ")
    }

    static func list(_ columns: [RecordName], of table: String = "") -> String {
        columns.map { table.isEmpty ? $0.quoted : "\(table).\($0.quoted)" }.joined(separator: ", ")
    }
}
