import Records

/// Reads and writes a shared table's rows.
struct TableRows {
    let statements: StatementCache
    let table: TableSchema
    // Created once, because an import runs them for thousands of rows.
    private let columns: [RecordName]
    private let match: String
    private let readSQL: String
    private let deleteSQL: String
    private let insertSQL: String

    init(statements: StatementCache, table: TableSchema) {
        (self.statements, self.table) = (statements, table)
        columns = table.columns.map(\.name)
        let name = table.name.quoted
        match = table.key.map { "\($0.quoted) = ?" }.joined(separator: " AND ")
        readSQL = "SELECT \(columns.isEmpty ? "1" : TableSchema.list(columns)) FROM \(name) WHERE \(match)"
        deleteSQL = "DELETE FROM \(name) WHERE \(match)"
        let names = table.key + columns
        let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
        // The conflict clause overrides the table's constraints, so that no other row is removed.
        insertSQL = "INSERT OR ABORT INTO \(name)(\(TableSchema.list(names))) VALUES (\(marks))"
    }

    /// Returns the columns except the key; nil if there is no such row.
    func read(_ key: RecordKey) throws -> [RecordName: RecordValue]? {
        guard key.values.count == table.key.count else { return nil }
        return try statements.first(readSQL, key.values) { row in
            Dictionary(columns.enumerated().map { ($1, row[$0]) }) { first, _ in first }
        }
    }

    /// Returns the rows' keys in order.
    func keys(after last: RecordKey?, limit: Int) throws -> [RecordKey] {
        let names = TableSchema.list(table.key)
        let start = last.map { "WHERE (\(names)) > (\($0.values.map { _ in "?" }.joined(separator: ", "))) " } ?? ""
        return try statements.all(
            "SELECT \(names) FROM \(table.name.quoted) \(start)ORDER BY \(names) LIMIT ?",
            (last?.values ?? []) + [.integer(Int64(limit))]
        ) { RecordKey($0.values(0..<table.key.count)) }.compactMap { $0 }
    }

    func delete(_ key: RecordKey) throws {
        try statements.run(deleteSQL, key.values)
    }

    func insert(_ key: RecordKey, _ values: [RecordName: RecordValue]) throws {
        try statements.run(insertSQL, key.values + columns.map { values[$0] ?? .null })
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
    /// Returns a row's columns, except its key, as shown on this device; nil for a row not in its table.
    func shown(_ record: Record, _ id: RowID) -> [RecordName: RecordValue]? {
        guard record.isLive, id.table == name, id.key.values.count == key.count else { return nil }
        var values: [RecordName: RecordValue] = [:]
        for column in columns { values[column.name] = record.columns[column.name]?.value ?? column.preset }
        return values
    }
}
