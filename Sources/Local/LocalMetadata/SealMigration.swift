import GRDB

/// Adds the rows' seal column to every table. SQLite adds no stored column to an existing table, so each is created
/// again and filled from the old table (sqlite.org/lang_altertable.html, section 7).
struct SealMigration {
    let db: Database

    /// The tables in the order of their creation.
    static let tables = [
        "setting", "container", "remote", "synced", "alias", "deviceSequence", "local", "departed", "resolution",
        "outbox", "madeBatch", "manifest",
    ]

    func run() throws {
        // Nodes are never reused, not even those of removed rows.
        let lastNode = try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'local'") ?? 15
        for table in Self.tables { try remake(table) }
        try db.execute(sql: "DELETE FROM sqlite_sequence WHERE name = 'local'")
        try db.execute(sql: "INSERT INTO sqlite_sequence (name, seq) VALUES ('local', ?)", arguments: [lastNode])
    }

    private func remake(_ table: String) throws {
        let columns = try db.columns(in: table).map(\.name)
        let seal = "\(RowSeal.column) INTEGER GENERATED ALWAYS AS (\(RowSeal.expression(columns))) STORED"
        let indexes = try definitions(ofType: "index", table)
        let definition = try definitions(ofType: "table", table).joined()
        guard let opening = definition.firstIndex(of: "("), let closing = definition.lastIndex(of: ")") else { return }
        let body = definition[definition.index(after: opening)..<closing]
        let list = columns.joined(separator: ", ")
        // A new database has no rows; tests create it often enough for the difference to matter.
        let hasRows = try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM \(table))") ?? false
        if hasRows { try db.execute(sql: "CREATE TEMP TABLE unsealed AS SELECT \(list) FROM \(table)") }
        try db.execute(sql: "DROP TABLE \(table)")
        try db.execute(sql: "CREATE TABLE \(table) (\(seal), \(body)\(definition[closing...])")
        if hasRows {
            try db.execute(sql: "INSERT INTO \(table) (\(list)) SELECT \(list) FROM unsealed")
            try db.execute(sql: "DROP TABLE unsealed")
        }
        for index in indexes { try db.execute(sql: index) }
    }

    private func definitions(ofType type: String, _ table: String) throws -> [String] {
        try String.fetchAll(
            db, sql: "SELECT sql FROM sqlite_master WHERE type = ? AND tbl_name = ? AND sql IS NOT NULL ORDER BY name",
            arguments: [type, table])
    }
}
