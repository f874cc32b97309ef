/// The tables of a folded container. They are derived from the log: a change of the version rebuilds them.
enum FoldedSchema {
    static let version = 6

    /// Ids are 16 bytes in big-endian order, so that they sort like the ids. `layout` is 255 for announced content.
    /// `dropped` has the versions given up by items, with the arrival time of the responsible entry, in seconds since
    /// 1970 UTC by the server's clock, and `purged` the contents of versions that a person removed for good, with the
    /// arrival time of that entry. `neededSum` and `droppedSum` are the ``ContentSum``s of the contents needed by live
    /// items and of the rows of `dropped`.
    static let tables = """
        CREATE TABLE item (
            id BLOB PRIMARY KEY,
            parent BLOB NOT NULL,
            name BLOB NOT NULL,
            nameKey BLOB NOT NULL,
            kind INTEGER NOT NULL,
            isPackage INTEGER NOT NULL,
            isDeleted INTEGER NOT NULL,
            target BLOB,
            layout INTEGER,
            size INTEGER,
            digest BLOB,
            permissions INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            created INTEGER NOT NULL,
            extended BLOB NOT NULL,
            sequence INTEGER NOT NULL,
            position INTEGER NOT NULL,
            author INTEGER NOT NULL,
            authorName TEXT NOT NULL,
            conflicts INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX child ON item (parent, nameKey) WHERE isDeleted = 0;
        CREATE INDEX announced ON item (layout) WHERE layout = 255 AND isDeleted = 0;
        CREATE INDEX contested ON item (conflicts) WHERE conflicts > 0 AND isDeleted = 0;
        CREATE TABLE conflict (
            item BLOB NOT NULL,
            sequence INTEGER NOT NULL,
            position INTEGER NOT NULL,
            layout INTEGER NOT NULL,
            size INTEGER NOT NULL,
            digest BLOB,
            modified INTEGER NOT NULL,
            author INTEGER NOT NULL,
            authorName TEXT NOT NULL,
            base BLOB,
            PRIMARY KEY (item, sequence, position)
        ) WITHOUT ROWID;
        CREATE TABLE version (
            item BLOB NOT NULL,
            sequence INTEGER NOT NULL,
            position INTEGER NOT NULL,
            layout INTEGER NOT NULL,
            size INTEGER NOT NULL,
            digest BLOB NOT NULL,
            modified INTEGER NOT NULL,
            authorName TEXT NOT NULL,
            PRIMARY KEY (item, sequence, position)
        ) WITHOUT ROWID;
        CREATE TABLE deletion (
            id BLOB PRIMARY KEY,
            parent BLOB NOT NULL,
            time INTEGER NOT NULL,
            device TEXT NOT NULL,
            sequence INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX deletedChild ON deletion (parent);
        CREATE INDEX deletedAt ON deletion (time);
        CREATE TABLE dropped (
            item BLOB NOT NULL,
            sequence INTEGER NOT NULL,
            position INTEGER NOT NULL,
            digest BLOB NOT NULL,
            layout INTEGER NOT NULL,
            size INTEGER NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY (item, sequence, position, digest, layout, size)
        ) WITHOUT ROWID;
        CREATE TABLE purged (
            digest BLOB NOT NULL,
            layout INTEGER NOT NULL,
            size INTEGER NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY (digest, layout, size)
        ) WITHOUT ROWID;
        CREATE TABLE alias (id BLOB PRIMARY KEY, target BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE device (id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL);
        \(ProposedCollections.table)
        CREATE TABLE state (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            sequence INTEGER NOT NULL,
            digest BLOB NOT NULL CHECK (length(digest) = 32),
            rules INTEGER NOT NULL,
            time INTEGER NOT NULL,
            foldsNames INTEGER NOT NULL,
            neededSum BLOB NOT NULL,
            droppedSum BLOB NOT NULL
        );
        INSERT INTO state VALUES (1, 0, zeroblob(32), 1, 0, 0, zeroblob(16), zeroblob(16));
        """
}
