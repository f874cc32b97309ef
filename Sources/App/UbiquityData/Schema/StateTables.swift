import Records

/// The library's tables in the program's database.
enum StateTables {
    /// The layout below. A release finding a newer layout does not open the database.
    static let layout: Int64 = 4

    static let statements =
        [
            // Read by each trigger: the changes' group, and whether they are captured.
            "CREATE TABLE _ubq_now(id INTEGER PRIMARY KEY CHECK (id = 1), grp INTEGER NOT NULL, capturing INTEGER NOT NULL)",
            "INSERT INTO _ubq_now VALUES (1, 1, 1)",
            // base is the last log transaction shown in the tables; files and baselines are the numbers of the device's
            // last file and baseline; unfit is the number of files in the log when it last could not be put
            // into a baseline.
            """
            CREATE TABLE _ubq_state(id INTEGER PRIMARY KEY CHECK (id = 1), layout INTEGER NOT NULL, store TEXT NOT NULL,
                device INTEGER NOT NULL, base BLOB NOT NULL, files INTEGER NOT NULL, baselines INTEGER NOT NULL DEFAULT 0,
                unfit INTEGER NOT NULL DEFAULT 0)
            """,
            // The shared tables, with the rules last declared by the device, and whether all rows must be shown again
            // because the table has new columns.
            "CREATE TABLE _ubq_table(tbl TEXT PRIMARY KEY, rules BLOB NOT NULL, is_stale INTEGER NOT NULL) WITHOUT ROWID",
            // The device's commit time for a group.
            "CREATE TABLE _ubq_group(grp INTEGER PRIMARY KEY, time INTEGER NOT NULL)",
            // Own transactions missing from the log, each stored as a separate file, with the number of the file
            // carrying it.
            "CREATE TABLE _ubq_pending(id INTEGER PRIMARY KEY, file INTEGER, body BLOB NOT NULL)",
            // Own files missing from the log.
            "CREATE TABLE _ubq_file(number INTEGER PRIMARY KEY, bytes BLOB NOT NULL, is_written INTEGER NOT NULL)",
            // The folded log.
            "CREATE TABLE _ubq_rules(tbl TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID",
            """
            CREATE TABLE _ubq_row(tbl TEXT NOT NULL, key BLOB NOT NULL, place INTEGER NOT NULL, body BLOB NOT NULL,
                PRIMARY KEY (tbl, key)) WITHOUT ROWID
            """,
            "CREATE INDEX _ubq_row_aside ON _ubq_row(tbl, key) WHERE place = 2",
            """
            CREATE TABLE _ubq_claim(tbl TEXT NOT NULL, columns BLOB NOT NULL, claimed BLOB NOT NULL, key BLOB NOT NULL,
                PRIMARY KEY (tbl, columns, claimed, key)) WITHOUT ROWID
            """,
            """
            CREATE TABLE _ubq_child(parent TEXT NOT NULL, parent_key BLOB NOT NULL, tbl TEXT NOT NULL, key BLOB NOT NULL,
                PRIMARY KEY (parent, parent_key, tbl, key)) WITHOUT ROWID
            """,
            """
            CREATE TABLE _ubq_alias(tbl TEXT NOT NULL, key BLOB NOT NULL, target BLOB NOT NULL, position BLOB NOT NULL,
                is_pending INTEGER NOT NULL, PRIMARY KEY (tbl, key)) WITHOUT ROWID
            """,
            "CREATE INDEX _ubq_alias_pending ON _ubq_alias(tbl, key) WHERE is_pending",
            """
            CREATE TABLE _ubq_lost(id INTEGER PRIMARY KEY, noted INTEGER NOT NULL, tbl TEXT NOT NULL, key BLOB NOT NULL,
                body BLOB NOT NULL)
            """,
            "CREATE INDEX _ubq_lost_row ON _ubq_lost(tbl, key)",
            // base is the device's known log position at its last transaction. digest and bytes are the chain of its
            // files; they are NULL if some were folded by a release without the chain, and then this device
            // writes no baseline.
            """
            CREATE TABLE _ubq_device(device INTEGER PRIMARY KEY, file INTEGER NOT NULL, sequence INTEGER NOT NULL,
                change INTEGER NOT NULL, name TEXT NOT NULL, base BLOB, digest BLOB, bytes INTEGER)
            """,
            besideTable,
            // Visible effects of pending transactions: united rows, and touched rows.
            """
            CREATE TABLE _ubq_union(tbl TEXT NOT NULL, key BLOB NOT NULL, target BLOB NOT NULL, PRIMARY KEY (tbl, key))
                WITHOUT ROWID
            """,
            "CREATE TABLE _ubq_shown(tbl TEXT NOT NULL, key BLOB NOT NULL, PRIMARY KEY (tbl, key)) WITHOUT ROWID",
            // Rows refused by a constraint of this device's schema. They are retried at each import.
            """
            CREATE TABLE _ubq_refused(tbl TEXT NOT NULL, key BLOB NOT NULL, message TEXT NOT NULL, PRIMARY KEY (tbl, key))
                WITHOUT ROWID
            """,
        ] + baselineTables + returnTables

    private static let baselineTables = [
        // Baselines whose heads are in the log: the head's version, when this device first found the baseline complete,
        // and whether the files it covers are removed.
        """
        CREATE TABLE _ubq_baseline(device INTEGER NOT NULL, number INTEGER NOT NULL, sequence INTEGER NOT NULL,
            change INTEGER NOT NULL, head BLOB NOT NULL, completed INTEGER, is_pruned INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (device, number)) WITHOUT ROWID
        """,
        // The files of this device's baseline missing from the log; the head is the last part.
        """
        CREATE TABLE _ubq_outgoing(number INTEGER NOT NULL, part INTEGER NOT NULL, is_head INTEGER NOT NULL,
            bytes BLOB NOT NULL, is_written INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (number, part))
        """,
        // The parts of the baseline being taken.
        """
        CREATE TABLE _ubq_part(device INTEGER NOT NULL, number INTEGER NOT NULL, part INTEGER NOT NULL,
            bytes BLOB NOT NULL, PRIMARY KEY (device, number, part))
        """,
    ]

    // The device's folded state from before the cloud went back, until the current log is folded: the rows, and the
    // last file of each device. And this device's former ids with files no device can fold.
    private static let returnTables = [
        "CREATE TABLE _ubq_kept(tbl TEXT NOT NULL, key BLOB NOT NULL, body BLOB NOT NULL, PRIMARY KEY (tbl, key)) WITHOUT ROWID",
        "CREATE TABLE _ubq_known(device INTEGER PRIMARY KEY, file INTEGER NOT NULL)",
        "CREATE TABLE _ubq_former(device INTEGER PRIMARY KEY)",
    ]

    /// Rows of the log with alternatives to a column's current value, to find them without reading all rows.
    private static let besideTable =
        "CREATE TABLE _ubq_beside(tbl TEXT NOT NULL, key BLOB NOT NULL, PRIMARY KEY (tbl, key)) WITHOUT ROWID"

    /// Upgrades an earlier release's tables to this layout.
    static func migrate(_ statements: StatementCache, from layout: Int64) throws {
        if layout < 2 {
            try statements.run(besideTable)
            try statements.run("SELECT tbl, key, body FROM _ubq_row") { row in
                guard try Record(decoding: row[2].bytes).hasAlternatives else { return }
                try statements.run("INSERT INTO _ubq_beside VALUES (?, ?)", [row[0], row[1]])
            }
        }
        if layout < 3 {
            for sql in baselineTables { try statements.run(sql) }
            for column in ["baselines", "unfit"] {
                try statements.run("ALTER TABLE _ubq_state ADD COLUMN \(column) INTEGER NOT NULL DEFAULT 0")
            }
            for column in ["base BLOB", "digest BLOB", "bytes INTEGER"] {
                try statements.run("ALTER TABLE _ubq_device ADD COLUMN \(column)")
            }
        }
        if layout < 4 { for sql in returnTables { try statements.run(sql) } }
    }
}
