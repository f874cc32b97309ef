package import GRDB
import Records

extension SharedSchema.Table {
    package var declaration: UbiquitousTable {
        UbiquitousTable(
            name, unify: unify, counters: Set(counters), sets: Set(sets), conflicts: Set(conflicts))
    }
}

extension SharedSchema {
    /// Creates missing tables, and examines existing tables.
    ///
    /// - Throws: ``UbiquitousDatabaseError/unsharable(table:reason:)`` if a table differs from the shared table in
    ///   anything decisive for rows.
    package func makeTables(in writer: any DatabaseWriter) throws {
        let wanted = try schemas(of: makeReference(), tables)
        try writer.write { db in
            let statements = StatementCache(db)
            for table in tables {
                let exists = try statements.first(
                    "SELECT 1 FROM sqlite_master WHERE type IN ('table', 'view') AND name = ? COLLATE NOCASE",
                    [.text(table.name)]
                ) { _ in true }
                if exists == nil {
                    for sql in table.statements { try db.execute(sql: sql) }
                } else if let schema = wanted.first(where: { $0.name == RecordName(table.name) }) {
                    try schema.checkKey(statements)
                }
            }
            // An added table may be a parent.
            let present = try SchemaReader(statements: statements).tables(tables.map(\.declaration))
            for (present, wanted) in zip(present, wanted) { try present.checkFits(wanted) }
        }
    }

    /// Returns an in-memory database with the tables of the device that shared them.
    private func makeReference() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            for sql in tables.flatMap(\.statements) {
                // This call rejects multiple statements.
                _ = try db.makeStatement(sql: sql).execute()
            }
        }
        return queue
    }

    private func schemas(of queue: DatabaseQueue, _ tables: [Table]) throws -> [TableSchema] {
        try queue.read { try SchemaReader(statements: StatementCache($0)).tables(tables.map(\.declaration)) }
    }
}

extension TableSchema {
    /// Throws if the table of this name in a database has a different primary key.
    fileprivate func checkKey(_ statements: StatementCache) throws {
        let columns = try statements.all(
            "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", [.text(name)]
        ) { RecordName(utf8: $0[0].bytes) }
        guard columns != key else { return }
        throw UbiquitousDatabaseError.unsharable(
            table: name.description, reason: "it has another primary key than the shared table has")
    }

    /// Throws if this table would merge or show rows differently from `other`. Additional columns are no difference:
    /// other devices keep them.
    fileprivate func checkFits(_ other: TableSchema) throws {
        func refuse(_ reason: String) -> UbiquitousDatabaseError {
            .unsharable(table: name.description, reason: "\(reason) than the shared table has")
        }
        guard key == other.key else { throw refuse("it has another primary key") }
        guard uniques == other.uniques else { throw refuse("it has other unique columns") }
        guard references == other.references else { throw refuse("it has other references") }
        let missing = other.columns.map(\.name).filter { name in !columns.contains { $0.name == name } }
        guard missing.isEmpty else {
            throw UbiquitousDatabaseError.unsharable(
                table: name.description,
                reason: "it lacks the column \(missing[0]) of the shared table. Add it, or take another file")
        }
    }
}
