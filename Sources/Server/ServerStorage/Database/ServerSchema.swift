import GRDB

/// The tables of a server. Bytes of chunks are files or objects; a row of `chunk` says that its frame is complete and
/// durable.
enum ServerSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in try db.execute(sql: tables) }
        migrator.registerMigration("operations") { db in
            try db.execute(sql: operations)
            // Existing chunks count as used today, so that none is collected early because its row is older than this
            // column.
            try db.execute(sql: "UPDATE chunk SET touched = unixepoch()")
        }
        migrator.registerMigration("console") { db in try db.execute(sql: consoleTables) }
        migrator.registerMigration("suspension") { db in try db.execute(sql: suspension) }
        migrator.registerMigration("manifests") { db in try db.execute(sql: manifestColumns) }
        migrator.registerMigration("costs") { db in try db.execute(sql: StorageCost.recount) }
        migrator.registerMigration("keyValues") { db in try db.execute(sql: keyValueColumns) }
        migrator.registerMigration("signIn") { db in try db.execute(sql: signIn) }
        migrator.registerMigration("bucket") { db in try db.execute(sql: bucket) }
        migrator.registerMigration("shared") { db in try db.execute(sql: sharedTables) }
        migrator.registerMigration("migrationMark") { db in try db.execute(sql: migrationMark) }
        migrator.registerMigration("linkCosts") { db in try db.execute(sql: StorageCost.addLinks) }
        migrator.registerMigration("setBack") { db in try db.execute(sql: setBack) }
        migrator.registerMigration("senders") { db in try db.execute(sql: senders) }
        migrator.registerMigration("removals") { db in try db.execute(sql: removals) }
        migrator.registerMigration("uploads") { db in try db.execute(sql: uploads) }
        migrator.registerMigration("owners") { db in try db.execute(sql: owners) }
        return migrator
    }

    /// How many times chunks of the container were removed (``ChunkStore/removals(in:of:)``), in SQL of both engines.
    static let removals = "ALTER TABLE container ADD COLUMN removals BIGINT NOT NULL DEFAULT 0;"

    /// The containers that may have chunks of abandoned uploads (``UnfinishedUploads``), in SQL of both engines:
    /// `since` is when the first of them not yet seen by a collection may have been put, `asked` when the last was put
    /// or asked about.
    static let uploads = """
        CREATE TABLE upload (
            container BIGINT NOT NULL PRIMARY KEY REFERENCES container (id) ON DELETE CASCADE,
            since BIGINT NOT NULL,
            asked BIGINT NOT NULL
        );
        """

    /// Whether the account manages the others in the console, and since when it is disabled, in SQL of both engines.
    static let owners = """
        ALTER TABLE account ADD COLUMN isOwner BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE account ADD COLUMN disabled BIGINT;
        """

    /// `AUTOINCREMENT` ensures that a number in a token or in a folder's name is never reused. Times are seconds since
    /// 1970 UTC. An entry's `digest` is that of the log up to it (``LogPosition``).
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
            digest BLOB NOT NULL CHECK (length(digest) = 32),
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

    /// `touched` is when a device last put the chunk, queried it or referred to it (``UploadGrace/granularity``).
    /// `created` is when the entry arrived, null if that was not recorded. `health` is written to check whether writing
    /// works.
    private static let operations = """
        ALTER TABLE chunk ADD COLUMN touched INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE entry ADD COLUMN created INTEGER;
        CREATE TABLE health (only INTEGER PRIMARY KEY CHECK (only = 1), at INTEGER NOT NULL);
        """

    /// `object` is the suffix of the chunk's object in a bucket, null for a file. The single row of `bucket` exists
    /// from the first use of a bucket on; `identity` is the database's name in the bucket, `epoch` the number of sweeps
    /// for objects without a row.
    private static let bucket = """
        ALTER TABLE chunk ADD COLUMN object TEXT;
        CREATE TABLE bucket (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            identity TEXT NOT NULL,
            epoch INTEGER NOT NULL
        );
        """

    /// `isFree` marks an entry that counts against no share; `keyValueBytes` is the total bytes of such entries of an
    /// account.
    private static let keyValueColumns = """
        ALTER TABLE entry ADD COLUMN isFree INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE account ADD COLUMN keyValueBytes INTEGER NOT NULL DEFAULT 0;
        """

    /// `content` is the size of the content described by the chunk as a manifest, -1 if it is not a manifest, null if
    /// that was not checked; `held` is one more than the container's removals when all chunks of the manifest were last
    /// found, 0 if they never were.
    private static let manifestColumns = """
        ALTER TABLE chunk ADD COLUMN content INTEGER;
        ALTER TABLE chunk ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
        """
}
