extension PostgresTables {
    /// The mark of a migration from or to this database; see ``ServerSchema/migrationMark``.
    static let migrationMark = """
        CREATE TABLE migration (
            "only" BIGINT PRIMARY KEY CHECK ("only" = 1),
            id TEXT NOT NULL,
            role TEXT NOT NULL,
            other TEXT NOT NULL,
            position BYTEA
        );
        """
}
