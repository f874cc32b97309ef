extension ServerSchema {
    /// The mark of a migration from or to this database (``MigrationMark``). `position` is JSON, null for a source.
    static let migrationMark = """
        CREATE TABLE migration (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            id TEXT NOT NULL,
            role TEXT NOT NULL,
            other TEXT NOT NULL,
            position BLOB
        );
        """
}
