import GRDB

/// The tables of garbage collections: those proposed by the log, and the keys of their lists read so far.
enum CollectionMigration {
    static let tables = ["collection", "collectionKey"]

    static func run(_ db: Database) throws {
        // `isRead`: the rows of `collectionKey` are the whole list.
        try create(
            "collection", ["container", "epoch", "phase", "layout", "size", "digest", "isRead"],
            """
            container INTEGER NOT NULL REFERENCES container(id),
            epoch INTEGER NOT NULL CHECK (epoch > 0),
            phase INTEGER NOT NULL CHECK (phase BETWEEN 1 AND 3),
            layout INTEGER NOT NULL,
            size INTEGER NOT NULL CHECK (size >= 0),
            digest BLOB NOT NULL CHECK (length(digest) = 32),
            isRead INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (container, epoch)
            """, db)
        try create(
            "collectionKey", ["container", "chunk", "keyEpoch", "epoch"],
            """
            container INTEGER NOT NULL REFERENCES container(id),
            chunk BLOB NOT NULL CHECK (length(chunk) = 32),
            keyEpoch INTEGER NOT NULL,
            epoch INTEGER NOT NULL CHECK (epoch > keyEpoch),
            PRIMARY KEY (container, chunk, keyEpoch, epoch)
            """, db)
    }

    private static func create(_ table: String, _ columns: [String], _ body: String, _ db: Database) throws {
        let seal = "\(RowSeal.column) INTEGER GENERATED ALWAYS AS (\(RowSeal.expression(columns))) STORED"
        try db.execute(sql: "CREATE TABLE \(table) (\(seal), \(body)) WITHOUT ROWID")
    }
}
