import GRDB

/// The table of deletions: the time and the device of each deletion in the folded log.
enum DeletionMigration {
    static let tables = ["deletion"]
    static let columns = ["container", "item", "parent", "name", "time", "noted", "device"]

    static func run(_ db: Database) throws {
        let seal = "\(RowSeal.column) INTEGER GENERATED ALWAYS AS (\(RowSeal.expression(columns))) STORED"
        try db.execute(
            sql: """
                CREATE TABLE deletion (\(seal),
                  container INTEGER NOT NULL REFERENCES container(id),
                  item BLOB NOT NULL CHECK (length(item) = 16),
                  parent BLOB NOT NULL CHECK (length(parent) = 16),
                  name BLOB NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
                  time INTEGER NOT NULL,
                  noted INTEGER NOT NULL,
                  device TEXT NOT NULL,
                  PRIMARY KEY (container, item)) WITHOUT ROWID
                """)
        try db.execute(sql: "CREATE INDEX deletion_child ON deletion(container, parent, name)")
        try db.execute(sql: "CREATE INDEX deletion_noted ON deletion(noted)")
    }
}
