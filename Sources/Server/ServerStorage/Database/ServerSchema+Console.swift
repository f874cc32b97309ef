extension ServerSchema {
    /// The time at which a reset of a device was requested in the console; signed-in browsers; and published links.
    /// Browsers and links are removed with their account, links with their container too.
    static let consoleTables = """
        ALTER TABLE device ADD COLUMN resetAsked INTEGER;
        CREATE TABLE session (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            hash BLOB NOT NULL UNIQUE,
            browser TEXT NOT NULL,
            created INTEGER NOT NULL,
            seen INTEGER NOT NULL
        );
        CREATE INDEX sessionOfAccount ON session (account);
        CREATE TABLE link (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            container INTEGER NOT NULL REFERENCES container (id) ON DELETE CASCADE,
            hash BLOB NOT NULL UNIQUE,
            name BLOB NOT NULL,
            digest BLOB NOT NULL,
            size INTEGER NOT NULL,
            layout INTEGER NOT NULL,
            salt BLOB,
            password BLOB,
            created INTEGER NOT NULL,
            expires INTEGER NOT NULL,
            CHECK ((salt IS NULL) = (password IS NULL))
        );
        CREATE INDEX linkOfContainer ON link (container);
        """

    /// When a restore suspended a device or a link; null once its owner has confirmed it.
    static let suspension = """
        ALTER TABLE device ADD COLUMN suspended INTEGER;
        ALTER TABLE link ADD COLUMN suspended INTEGER;
        """
}
