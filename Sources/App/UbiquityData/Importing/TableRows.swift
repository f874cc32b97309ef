import Records

/// Reads and writes rows of a shared table.
struct TableRows {
    let statements: StatementCache
    let table: TableSchema

    private var columns: [RecordName] { table.columns.map(\.name) }

    private var match: String { table.key.map { "\($0.quoted) = ?" }.joined(separator: " AND ") }

    /// Returns the columns but those of the key; nil if there is no such row.
    func read(_ key: RecordKey) throws -> [RecordName: RecordValue]? {
        guard key.values.count == table.key.count else { return nil }
        let fields = columns.isEmpty ? "1" : TableSchema.list(columns)
        return try statements.first("SELECT \(fields) FROM \(table.name.quoted) WHERE \(match)", key.values) { row in
            Dictionary(columns.enumerated().map { ($1, row[$0]) }) { first, _ in first }
        }
    }

    func delete(_ key: RecordKey) throws {
        try statements.run("DELETE FROM \(table.name.quoted) WHERE \(match)", key.values)
    }

    /// The conflict clause replaces those of the table's constraints, so that no other row is removed.
    func insert(_ key: RecordKey, _ values: [RecordName: RecordValue]) throws {
        let names = table.key + columns
        let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
        try statements.run(
            "INSERT OR ABORT INTO \(table.name.quoted)(\(TableSchema.list(names))) VALUES (\(marks))",
            key.values + columns.map { values[$0] ?? .null })
    }

    func update(_ key: RecordKey, _ values: [RecordName: RecordValue]) throws {
        let names = values.keys.sorted()
        let sets = names.map { "\($0.quoted) = ?" }.joined(separator: ", ")
        try statements.run(
            "UPDATE OR ABORT \(table.name.quoted) SET \(sets) WHERE \(match)",
            names.map { values[$0] ?? .null } + key.values)
    }
}

extension TableSchema {
    /// Returns the columns of a row, but those of the key, as this device shows them; nil for one that is not in its table.
    func shown(_ record: Record, _ id: RowID) -> [RecordName: RecordValue]? {
        guard record.isLive, id.table == name, id.key.values.count == key.count else { return nil }
        var values: [RecordName: RecordValue] = [:]
        for column in columns { values[column.name] = record.columns[column.name]?.value ?? column.preset }
        return values
    }
}
