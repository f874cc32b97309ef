import GRDB

/// The tables of key-value stores: the log's values, and values not yet appended.
enum KeyValueMigration {
    /// The tables besides those rebuilt by ``SealMigration``.
    static let tables = ["keyValue", "keyValuePending"]

    static let columns = ["container", "key", "value", "time"]
    static let pendingColumns = ["container", "key", "value", "time", "noted", "isSent"]

    static func run(_ db: Database) throws {
        // NULL in `value` marks a removed key.
        try create(
            "keyValue", columns,
            """
            container INTEGER NOT NULL REFERENCES container(id),
            key TEXT NOT NULL,
            value BLOB,
            time INTEGER NOT NULL
            """, db)
        try create(
            "keyValuePending", pendingColumns,
            """
            container INTEGER NOT NULL REFERENCES container(id),
            key TEXT NOT NULL,
            value BLOB,
            time INTEGER NOT NULL,
            noted INTEGER NOT NULL,
            isSent INTEGER NOT NULL DEFAULT 0
            """, db)
        try db.execute(sql: "CREATE INDEX keyValuePending_unsent ON keyValuePending(noted) WHERE isSent = 0")
    }

    private static func create(_ table: String, _ columns: [String], _ body: String, _ db: Database) throws {
        let seal = "\(RowSeal.column) INTEGER GENERATED ALWAYS AS (\(RowSeal.expression(columns))) STORED"
        try db.execute(
            sql: "CREATE TABLE \(table) (\(seal), \(body), PRIMARY KEY (container, key)) WITHOUT ROWID")
    }
}
