import Records

/// Triggers to record, in each write's transaction, a row's state before its first change. They use only features of
/// every SQLite, so that they work in all programs writing to the file.
///
/// A row is recorded once per group. A group's changes are derived later by comparing its rows with those of the next
/// group, or with the table: whether a statement inserted, updated, replaced or deleted does not matter, and an undone
/// change is none.
///
/// Rows are recorded before they change. SQLite does not promise the order of an event's triggers. The program's
/// triggers may write to the same row, or end the statement and keep the row; but a trigger before the change always
/// sees the old row.
///
/// New rows are recorded in a separate table, in insertion order. That costs a third of an index entry when keys are
/// random and the tables exceed SQLite's cache. A row in both tables is new.
struct CaptureTriggers {
    static let prefix = "_ubq_"
    let table: TableSchema

    /// The table of previously existing rows. Its columns have no types, so that values stay as they were.
    var notedName: String { Self.notedName(table.name.description) }

    var noted: String { Self.quoted(notedName) }

    /// The table of new rows' keys.
    var addedName: String { Self.addedName(table.name.description) }

    var added: String { Self.quoted(addedName) }

    private static func notedName(_ table: String) -> String { "\(prefix)was_\(table)" }

    private static func addedName(_ table: String) -> String { "\(prefix)new_\(table)" }

    /// Returns whether anything was captured in the shared table of this name. Also correct in an earlier release's
    /// file, whose triggers record all rows in a single table.
    static func hasCaptured(_ table: String, _ statements: StatementCache) throws -> Bool {
        try [notedName(table), addedName(table)].contains { name in
            let exists = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE"
            guard try statements.first(exists, [.text(name)], { _ in true }) != nil else { return false }
            return try statements.first("SELECT 1 FROM \(quoted(name)) LIMIT 1", [], { _ in true }) != nil
        }
    }

    static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

    private var columns: [RecordName] { table.key + table.columns.map(\.name) }

    /// Statements to create the capture tables.
    var tablesSQL: [String] {
        [
            """
            CREATE TABLE \(noted)(_ubq_group INTEGER NOT NULL, \(TableSchema.list(columns)), \
            PRIMARY KEY(\(TableSchema.list(table.key)), _ubq_group)) WITHOUT ROWID
            """,
            "CREATE TABLE \(added)(_ubq_group INTEGER NOT NULL, \(TableSchema.list(table.key)))",
        ]
    }

    /// The triggers' names and statements.
    var triggers: [(name: String, sql: String)] {
        let isRivalled = rivals.map { "EXISTS (SELECT 1 FROM \(table.name.quoted) AS o WHERE \($0))" }
            .joined(separator: " OR ")
        // SQLite runs the last trigger first: a row in the way is recorded before its key can be mistaken for
        // a new row's.
        var triggers = [
            trigger("before_add", "BEFORE INSERT", [Self.requireRelease, noteAdded()]),
            trigger("before_insert", "BEFORE INSERT", rivals.map(note(rivalsBy:)), when: isRivalled),
            trigger("before_move", "BEFORE UPDATE", [noteAdded()], when: moved(table.key)),
            trigger(
                "before_update", "BEFORE UPDATE", rivals.map(note(rivalsBy:)),
                when: moved(table.key + table.constrained.sorted())),
            trigger("before_change", "BEFORE UPDATE", [noteOld()]),
            trigger("before_delete", "BEFORE DELETE", [noteOld()]),
        ]
        if let rowid = table.rowid {
            let rival = [note(rivalsBy: "o.\(rowid) = NEW.\(rowid)")]
            triggers.append(trigger("before_rowid", "BEFORE UPDATE", rival, when: "NEW.\(rowid) IS NOT OLD.\(rowid)"))
        }
        return triggers + keyGuards
    }

    /// Triggers to refuse rows without a key.
    private var keyGuards: [(name: String, sql: String)] {
        guard !table.nullableKey.isEmpty else { return [] }
        let isNull = table.nullableKey.map { "NEW.\($0.quoted) IS NULL" }.joined(separator: " OR ")
        let message = "the rows of \(table.name) are shared with other devices: give each one a key that is not NULL"
        let refusal = "SELECT RAISE(ABORT, '\(message.replacing("'", with: "''"))')"
        return [
            trigger("key_insert", "BEFORE INSERT", [refusal], when: isNull),
            trigger("key_update", "BEFORE UPDATE", [refusal], when: isNull),
        ]
    }

    private func trigger(
        _ kind: String, _ event: String, _ statements: [String], when condition: String? = nil
    ) -> (name: String, sql: String) {
        let name = "\(Self.prefix)\(kind)_\(table.name)"
        let when = condition.map { "WHEN \($0) " } ?? ""
        let body = statements.map { "\($0);" }.joined(separator: "\n")
        return (name, "CREATE TRIGGER \(Self.quoted(name)) \(event) ON \(table.name.quoted) \(when)BEGIN\n\(body)\nEND")
    }

    private func moved(_ columns: [RecordName]) -> String {
        columns.map { "NEW.\($0.quoted) IS NOT OLD.\($0.quoted)" }.joined(separator: " OR ")
    }

    /// Conditions for rows that REPLACE would remove: SQLite runs no trigger for them unless `recursive_triggers` is
    /// on. If none is removed, the recorded row equals the table's, and there is no change.
    private var rivals: [String] {
        ([table.key] + table.uniques).map { TableSchema.same($0, "o", "NEW") }
            + (table.rowid.map { ["o.\($0) = NEW.\($0)"] } ?? [])
    }

    private func note(rivalsBy condition: String) -> String {
        note("o", from: "_ubq_now AS n CROSS JOIN \(table.name.quoted) AS o", where: "n.capturing AND \(condition)")
    }

    private func noteOld() -> String { note("OLD", from: "_ubq_now AS n", where: "n.capturing") }

    /// `ON CONFLICT DO NOTHING` and not `INSERT OR IGNORE`: the conflict clause of the triggering statement replaces
    /// the latter.
    private func note(_ row: String, from source: String, where condition: String) -> String {
        """
        INSERT INTO \(noted)(_ubq_group, \(TableSchema.list(columns))) \
        SELECT n.grp, \(TableSchema.list(columns, of: row)) FROM \(source) WHERE \(condition) ON CONFLICT DO NOTHING
        """
    }

    /// SQLite before 3.31 may recompute an INSERT's values after its BEFORE triggers, so that a key such as
    /// `hex(randomblob(16))` differs from the recorded key. An AFTER trigger would slow each insert by a quarter.
    private static let requireRelease = """
        SELECT RAISE(ABORT, 'rows of a shared table can be inserted with SQLite 3.31 or newer') \
        WHERE sqlite_source_id() < '2020-01-22'
        """

    private func noteAdded() -> String {
        // The sign removes the column type of the table. With it, SQLite would not search the index of
        // an untyped column.
        let isNoted = table.key.map { "w.\($0.quoted) = +NEW.\($0.quoted)" }.joined(separator: " AND ")
        return """
            INSERT INTO \(added)(_ubq_group, \(TableSchema.list(table.key))) \
            SELECT n.grp, \(TableSchema.list(table.key, of: "NEW")) FROM _ubq_now AS n WHERE n.capturing AND NOT EXISTS \
            (SELECT 1 FROM \(noted) AS w WHERE \(isNoted) AND w._ubq_group = n.grp)
            """
    }
}
