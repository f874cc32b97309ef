/// The tables of the first version.
extension Schema {
    /// An item's columns in the log; the same in `remote` and `synced`.
    private static let cloudColumns = """
        container INTEGER NOT NULL REFERENCES container(id),
        item BLOB NOT NULL CHECK (length(item) = 16),
        parent BLOB NOT NULL CHECK (length(parent) = 16),
        name BLOB NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
        nameKey BLOB NOT NULL,
        kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 2),
        permissions INTEGER NOT NULL,
        modified INTEGER NOT NULL,
        created INTEGER NOT NULL,
        extended BLOB,
        target BLOB,
        size INTEGER NOT NULL,
        digest BLOB CHECK (digest IS NULL OR length(digest) = 32),
        layout INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        changeIndex INTEGER NOT NULL,
        author INTEGER NOT NULL,
        authorName TEXT NOT NULL,
        isDeleted INTEGER NOT NULL CHECK (isDeleted IN (0, 1)),
        conflicts BLOB
        """

    static let version1: [String] = [
        """
        CREATE TABLE setting (
          key TEXT PRIMARY KEY,
          value BLOB NOT NULL
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE container (
          id INTEGER PRIMARY KEY,
          name TEXT NOT NULL UNIQUE,
          node INTEGER NOT NULL,
          sequence INTEGER NOT NULL DEFAULT 0,
          digest BLOB NOT NULL DEFAULT (zeroblob(32)) CHECK (length(digest) = 32),
          rules INTEGER NOT NULL DEFAULT 1,
          time INTEGER NOT NULL DEFAULT 0,
          foldsNames INTEGER NOT NULL DEFAULT 0,
          isInCloud INTEGER NOT NULL DEFAULT 0,
          divergence TEXT
        )
        """,
        "CREATE TABLE remote (\(cloudColumns), PRIMARY KEY (container, item)) WITHOUT ROWID",
        "CREATE UNIQUE INDEX remote_child ON remote(container, parent, nameKey) WHERE isDeleted = 0",
        // `isAbsent`: both sides agreed that there is no such item.
        """
        CREATE TABLE synced (\(cloudColumns), isAbsent INTEGER NOT NULL DEFAULT 0,
          PRIMARY KEY (container, item)) WITHOUT ROWID
        """,
        """
        CREATE TABLE alias (
          container INTEGER NOT NULL REFERENCES container(id),
          item BLOB NOT NULL CHECK (length(item) = 16),
          target BLOB NOT NULL CHECK (length(target) = 16 AND target <> item),
          PRIMARY KEY (container, item)
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE deviceSequence (
          container INTEGER NOT NULL REFERENCES container(id),
          device INTEGER NOT NULL,
          number INTEGER NOT NULL,
          PRIMARY KEY (container, device)
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE local (
          node INTEGER PRIMARY KEY AUTOINCREMENT,
          container INTEGER NOT NULL REFERENCES container(id),
          item BLOB NOT NULL CHECK (length(item) = 16),
          parent INTEGER NOT NULL,
          name BLOB NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
          kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 4),
          permissions INTEGER NOT NULL,
          modified INTEGER NOT NULL,
          changed INTEGER NOT NULL,
          created INTEGER NOT NULL,
          accessed INTEGER,
          user INTEGER,
          groupID INTEGER,
          extended BLOB,
          target BLOB,
          size INTEGER NOT NULL DEFAULT 0 CHECK (size >= 0),
          digest BLOB CHECK (digest IS NULL OR length(digest) = 32),
          layout INTEGER NOT NULL DEFAULT 0,
          presence INTEGER NOT NULL DEFAULT 0 CHECK (presence BETWEEN 0 AND 2),
          ranges BLOB,
          generation INTEGER NOT NULL DEFAULT 0,
          isEdited INTEGER NOT NULL DEFAULT 0 CHECK (isEdited IN (0, 1)),
          isWriting INTEGER NOT NULL DEFAULT 0 CHECK (isWriting IN (0, 1)),
          isKnown INTEGER NOT NULL DEFAULT 0 CHECK (isKnown IN (0, 1)),
          isExcluded INTEGER NOT NULL DEFAULT 0,
          isPaused INTEGER NOT NULL DEFAULT 0,
          pin INTEGER NOT NULL DEFAULT 0,
          wanted INTEGER NOT NULL DEFAULT 0,
          pendingSince INTEGER,
          used INTEGER NOT NULL DEFAULT 0,
          downloadError TEXT,
          uploadError TEXT,
          conflictOf BLOB,
          conflictSequence INTEGER,
          conflictIndex INTEGER,
          CHECK (isEdited = 0 OR presence = 2),
          CHECK ((conflictOf IS NULL) = (conflictSequence IS NULL))
        )
        """,
        // Node ids begin after the root's and those used by directory offsets.
        "INSERT INTO sqlite_sequence (name, seq) VALUES ('local', 15)",
        "CREATE UNIQUE INDEX local_name ON local(parent, name)",
        "CREATE INDEX local_parent ON local(parent)",
        "CREATE UNIQUE INDEX local_item ON local(container, item)",
        "CREATE INDEX local_pending ON local(pendingSince) WHERE pendingSince IS NOT NULL",
        "CREATE INDEX local_wanted ON local(wanted) WHERE wanted > 0",
        "CREATE INDEX local_writing ON local(node) WHERE isWriting = 1",
        "CREATE INDEX local_present ON local(used) WHERE presence > 0 AND size > 0",
        "CREATE INDEX local_failed ON local(node) WHERE uploadError IS NOT NULL OR downloadError IS NOT NULL",
        "CREATE INDEX local_conflict ON local(container, conflictOf) WHERE conflictOf IS NOT NULL",
        """
        CREATE TABLE departed (
          container INTEGER NOT NULL REFERENCES container(id),
          item BLOB NOT NULL CHECK (length(item) = 16),
          parent INTEGER NOT NULL,
          name BLOB NOT NULL,
          kind INTEGER NOT NULL,
          time INTEGER NOT NULL,
          isSent INTEGER NOT NULL DEFAULT 0,
          PRIMARY KEY (container, item)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX departed_place ON departed(parent, name)",
        """
        CREATE TABLE resolution (
          container INTEGER NOT NULL REFERENCES container(id),
          item BLOB NOT NULL CHECK (length(item) = 16),
          sequence INTEGER NOT NULL,
          changeIndex INTEGER NOT NULL,
          isSent INTEGER NOT NULL DEFAULT 0,
          PRIMARY KEY (container, item, sequence, changeIndex)
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE outbox (
          container INTEGER PRIMARY KEY REFERENCES container(id),
          device INTEGER NOT NULL,
          deviceSequence INTEGER NOT NULL,
          payload BLOB NOT NULL
        )
        """,
        // This device's batches that its log has not passed yet.
        """
        CREATE TABLE madeBatch (
          container INTEGER NOT NULL REFERENCES container(id),
          device INTEGER NOT NULL,
          deviceSequence INTEGER NOT NULL,
          digest BLOB NOT NULL CHECK (length(digest) = 32),
          PRIMARY KEY (container, device, deviceSequence, digest)
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE manifest (
          digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
          bytes BLOB NOT NULL
        ) WITHOUT ROWID
        """,
    ]
}
