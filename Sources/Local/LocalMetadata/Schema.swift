import GRDB

/// The tables of the metadata database; docs/STORAGE.md describes each row's meaning. Rules independent of the code are
/// constraints here.
enum Schema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            for statement in version1 { try db.execute(sql: statement) }
        }
        migrator.registerMigration("covering indexes") { db in
            for statement in coveringIndexes { try db.execute(sql: statement) }
        }
        migrator.registerMigration("seals") { try SealMigration(db: $0).run() }
        migrator.registerMigration("versions") { db in
            for statement in versions { try db.execute(sql: statement) }
        }
        migrator.registerMigration("key values") { try KeyValueMigration.run($0) }
        migrator.registerMigration("deletions") { try DeletionMigration.run($0) }
        migrator.registerMigration("package conflicts") { db in
            try db.execute(
                sql: """
                    CREATE INDEX local_packageConflict ON local(node) WHERE \(LocalTree.isPackageConflict)
                    """)
        }
        migrator.registerMigration("paused folders") { db in
            try db.execute(sql: "CREATE INDEX local_paused ON local(node) WHERE isPaused = 1")
        }
        migrator.registerMigration("collections") { try CollectionMigration.run($0) }
        migrator.registerMigration("ignore files") { db in
            for statement in ignoreFiles { try db.execute(sql: statement) }
        }
        migrator.registerMigration("folded names") { db in
            for statement in foldedNames { try db.execute(sql: statement) }
        }
        migrator.registerMigration("vacated places") { db in
            try VacatedMigration.run(db)
            try db.execute(sql: excludedByAttribute)
        }
        return migrator
    }

    /// Contents once current and still in the cloud.
    private static let versions = [
        """
        CREATE TABLE version (
          seal INTEGER GENERATED ALWAYS AS
            (\(RowSeal.expression(HistoricVersion.columns))) STORED,
          container INTEGER NOT NULL REFERENCES container(id),
          item BLOB NOT NULL CHECK (length(item) = 16),
          sequence INTEGER NOT NULL,
          changeIndex INTEGER NOT NULL,
          size INTEGER NOT NULL CHECK (size >= 0),
          digest BLOB NOT NULL CHECK (length(digest) = 32),
          layout INTEGER NOT NULL,
          modified INTEGER NOT NULL,
          author INTEGER NOT NULL,
          authorName TEXT NOT NULL,
          superseded INTEGER NOT NULL,
          PRIMARY KEY (container, item, sequence, changeIndex)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX version_superseded ON version(superseded)",
    ]

    /// Tables with sealed rows.
    static let sealedTables =
        SealMigration.tables + ["version"] + KeyValueMigration.tables + DeletionMigration.tables
        + CollectionMigration.tables + VacatedMigration.tables

    /// Finds a folder's documents kept on this device by the user.
    private static let excludedByAttribute = """
        CREATE INDEX local_excludedByAttribute ON local(parent, name)
        WHERE isExcluded = \(Exclusion.byAttribute.rawValue)
        """

    /// Finds ignore files, and the items excluded by their patterns.
    private static let ignoreFiles = [
        "CREATE INDEX local_ignoreFile ON local(node) WHERE \(LocalTree.isIgnoreFile)",
        "CREATE INDEX local_excludedByPattern ON local(node) WHERE isExcluded = \(Exclusion.byPattern.rawValue)",
    ]

    /// An index of names without case, for containers that compare them so. It has no seals: each row found is compared
    /// again.
    private static let foldedNames = [
        "CREATE TABLE foldedName (node INTEGER PRIMARY KEY, parent INTEGER NOT NULL, key BLOB NOT NULL)",
        "CREATE INDEX foldedName_key ON foldedName(parent, key)",
        """
        CREATE TRIGGER foldedName_removed AFTER DELETE ON local
        BEGIN DELETE FROM foldedName WHERE node = OLD.node; END
        """,
        """
        CREATE TRIGGER foldedName_moved AFTER UPDATE OF node, parent ON local
        BEGIN UPDATE foldedName SET node = NEW.node, parent = NEW.parent WHERE node = OLD.node; END
        """,
    ]

    /// The indexes of the engine's frequent queries, which read matching rows only.
    private static let coveringIndexes = [
        "DROP INDEX local_pending",
        "CREATE INDEX local_pending ON local(pendingSince, isEdited, size) WHERE pendingSince IS NOT NULL",
        "DROP INDEX local_present",
        "CREATE INDEX local_present ON local(used, size, presence) WHERE presence > 0 AND size > 0",
        "CREATE INDEX departed_unsent ON departed(time) WHERE isSent = 0",
    ]
}
