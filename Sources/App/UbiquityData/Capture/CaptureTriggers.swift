import Records

/// The triggers that note, in the transaction of each write, how a row was before its first change. They use only what every SQLite has, so
/// that they work in all programs that write to the file.
///
/// A row is noted once in a group. What a group changed follows later from comparing the noted rows with those of the next group, or with
/// the table: whether a statement inserted, updated, replaced or deleted does not matter, and what was undone is no change.
///
/// Rows are noted before they change. SQLite does not promise the order in which it runs the triggers of one event. Those of the program may
/// write to the same row, or end the statement and keep the row; but whatever runs before a change sees the row as it was.
///
/// Rows that were not there are noted in a table of their own, in the order of their inserts. That is a third of what an index entry
/// costs when keys are random and the tables exceed SQLite's cache. A row that is in both tables was not there.
struct CaptureTriggers {
    static let prefix = "_ubq_"
    let table: TableSchema

    /// The table of rows that were there. Its columns have no types, so that values stay as they were.
    var notedName: String { Self.notedName(table.name.description) }

    var noted: String { Self.quoted(notedName) }

    /// The table of the keys of rows that were not there.
    var addedName: String { Self.addedName(table.name.description) }

    var added: String { Self.quoted(addedName) }

    private static func notedName(_ table: String) -> String { "\(prefix)was_\(table)" }

    private static func addedName(_ table: String) -> String { "\(prefix)new_\(table)" }

    /// Returns whether something was captured in the shared table of this name. Also right in a file of an earlier release, whose triggers
    /// note all rows in one table.
    static func hasCaptured(_ table: String, _ statements: StatementCache) throws -> Bool {
        try [notedName(table), addedName(table)].contains { name in
            let exists = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE"
            guard try statements.first(exists, [.text(name)], { _ in true }) != nil else { return false }
            return try statements.first("SELECT 1 FROM \(quoted(name)) LIMIT 1", [], { _ in true }) != nil
        }
    }

    static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

    private var columns: [RecordName] { table.key + table.columns.map(\.name) }

    /// The statements that make the tables of noted rows.
    var tablesSQL: [String] {
        [
            """
            CREATE TABLE \(noted)(_ubq_group INTEGER NOT NULL, \(TableSchema.list(columns)), \
            PRIMARY KEY(\(TableSchema.list(table.key)), _ubq_group)) WITHOUT ROWID
            """,
            "CREATE TABLE \(added)(_ubq_group INTEGER NOT NULL, \(TableSchema.list(table.key)))",
        ]
    }

    /// The names of the triggers, and the statements that make them.
    var triggers: [(name: String, sql: String)] {
        let isRivalled = rivals.map { "EXISTS (SELECT 1 FROM \(table.name.quoted) AS o WHERE \($0))" }
            .joined(separator: " OR ")
        // SQLite runs the last one first: a row in the way is noted before its key could be taken for that of a new row.
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

    /// Triggers that refuse rows without a key.
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

    /// Conditions for rows that REPLACE would remove: SQLite runs no trigger for those unless `recursive_triggers` is on. If none is removed,
    /// what is noted equals the table, and is no change.
    private var rivals: [String] {
        ([table.key] + table.uniques).map { TableSchema.same($0, "o", "NEW") }
            + (table.rowid.map { ["o.\($0) = NEW.\($0)"] } ?? [])
    }

    private func note(rivalsBy condition: String) -> String {
        note("o", from: "_ubq_now AS n CROSS JOIN \(table.name.quoted) AS o", where: "n.capturing AND \(condition)")
    }

    private func noteOld() -> String { note("OLD", from: "_ubq_now AS n", where: "n.capturing") }

    /// `ON CONFLICT DO NOTHING` and not `INSERT OR IGNORE`: the conflict clause of the statement that fires a trigger replaces the latter.
    private func note(_ row: String, from source: String, where condition: String) -> String {
        """
        INSERT INTO \(noted)(_ubq_group, \(TableSchema.list(columns))) \
        SELECT n.grp, \(TableSchema.list(columns, of: row)) FROM \(source) WHERE \(condition) ON CONFLICT DO NOTHING
        """
    }

    /// A SQLite before 3.31 may compute the values of an INSERT again after the triggers before it, so that a key such as
    /// `hex(randomblob(16))` becomes another one than was noted. A trigger after it would cost each insert a quarter of its time.
    private static let requireRelease = """
        SELECT RAISE(ABORT, 'rows of a shared table can be inserted with SQLite 3.31 or newer') \
        WHERE sqlite_source_id() < '2020-01-22'
        """

    private func noteAdded() -> String {
        // The sign removes the type of the table's column. With it, SQLite would not look into the index of a column without one.
        let isNoted = table.key.map { "w.\($0.quoted) = +NEW.\($0.quoted)" }.joined(separator: " AND ")
        return """
            INSERT INTO \(added)(_ubq_group, \(TableSchema.list(table.key))) \
            SELECT n.grp, \(TableSchema.list(table.key, of: "NEW")) FROM _ubq_now AS n WHERE n.capturing AND NOT EXISTS \
            (SELECT 1 FROM \(noted) AS w WHERE \(isNoted) AND w._ubq_group = n.grp)
            """
    }
}
