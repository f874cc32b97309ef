import GRDB

/// The table of names left by documents, with the user's settings on them.
enum VacatedMigration {
    static let tables = ["vacated"]
    static let columns = ["parent", "name", "kind", "node", "isExcluded", "isPaused", "pin", "created", "tags", "time"]

    static func run(_ db: Database) throws {
        let seal = "\(RowSeal.column) INTEGER GENERATED ALWAYS AS (\(RowSeal.expression(columns))) STORED"
        try db.execute(
            sql: """
                CREATE TABLE vacated (\(seal),
                  parent INTEGER NOT NULL,
                  name BLOB NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
                  kind INTEGER NOT NULL,
                  node INTEGER NOT NULL,
                  isExcluded INTEGER NOT NULL,
                  isPaused INTEGER NOT NULL,
                  pin INTEGER NOT NULL,
                  created INTEGER NOT NULL,
                  tags BLOB,
                  time INTEGER NOT NULL,
                  PRIMARY KEY (parent, name)) WITHOUT ROWID
                """)
        try db.execute(sql: "CREATE INDEX vacated_time ON vacated(time)")
    }
}
