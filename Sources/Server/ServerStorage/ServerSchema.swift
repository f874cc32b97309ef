import GRDB

/// The tables of a server. Bytes of chunks are files; a row of `chunk` says that its file is whole and on the disk.
enum ServerSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in try db.execute(sql: tables) }
        migrator.registerMigration("console") { db in try db.execute(sql: consoleTables) }
        return migrator
    }

    /// `AUTOINCREMENT`: a number that a token or a folder bears is never used again. Times are seconds since 1970 UTC.
    private static let tables = """
        CREATE TABLE account (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL UNIQUE,
            identity TEXT,
            quota INTEGER CHECK (quota >= 0),
            used INTEGER NOT NULL DEFAULT 0 CHECK (used >= 0),
            created INTEGER NOT NULL
        );
        CREATE TABLE code (
            hash BLOB PRIMARY KEY,
            account INTEGER NOT NULL REFERENCES account (id),
            expires INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE device (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL REFERENCES account (id),
            name TEXT NOT NULL,
            tokenHash BLOB NOT NULL,
            created INTEGER NOT NULL,
            seen INTEGER NOT NULL,
            revoked INTEGER
        );
        CREATE INDEX deviceOfAccount ON device (account);
        CREATE TABLE container (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL REFERENCES account (id),
            name TEXT NOT NULL,
            sequence INTEGER NOT NULL DEFAULT 0,
            UNIQUE (account, name)
        );
        CREATE TABLE entry (
            id INTEGER PRIMARY KEY,
            container INTEGER NOT NULL REFERENCES container (id),
            sequence INTEGER NOT NULL,
            key BLOB,
            payload BLOB NOT NULL,
            UNIQUE (container, sequence)
        );
        CREATE UNIQUE INDEX entryByKey ON entry (container, key) WHERE key IS NOT NULL;
        CREATE TABLE chunk (
            container INTEGER NOT NULL REFERENCES container (id),
            id BLOB NOT NULL,
            size INTEGER NOT NULL,
            isTrusted INTEGER NOT NULL DEFAULT 1,
            PRIMARY KEY (container, id)
        ) WITHOUT ROWID;
        """
}
