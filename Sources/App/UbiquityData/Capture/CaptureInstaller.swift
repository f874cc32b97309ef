import Basics
import Records

/// Creates the shared tables' triggers, and recreates them after a table change. Runs in a single transaction.
struct CaptureInstaller {
    /// Existing rows of a newly shared table are sent in transactions of this size.
    private static let rowsPerTransaction = 1_000

    let statements: StatementCache
    let tables: [TableSchema]
    let state: StoreState
    /// The program's schema version, recorded with its tables' rules.
    let version: UInt64
    let time: Timestamp

    /// Captured changes of already shared tables.
    private func groups(_ known: [RecordName?]) -> CapturedGroups {
        CapturedGroups(statements: statements, tables: tables.filter { known.contains($0.name) }, state: state)
    }

    func install() throws {
        let known = try statements.all("SELECT tbl FROM _ubq_table") { RecordName(utf8: $0[0].bytes) }
        for name in known where !tables.contains(where: { $0.name == name }) {
            throw UbiquitousDatabaseError.unsharable(
                table: name?.description ?? "?", reason: "it is shared already, and has to be declared each time")
        }
        for table in tables where known.contains(table.name) { try check(table, known) }
        try declareRules(known)
        for table in parentsFirst() where !known.contains(table.name) { try share(table) }
    }

    // MARK: Already shared tables

    private func check(_ table: TableSchema, _ known: [RecordName?]) throws {
        let triggers = CaptureTriggers(table: table)
        let present = try Dictionary(
            statements.all(
                "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE "
                    + "AND substr(name, 1, 5) = '_ubq_'", [.text(table.name)]
            ) { (String(decoding: $0[0].bytes, as: UTF8.self), String(decoding: $0[1].bytes, as: UTF8.self)) }
        ) { first, _ in first }
        let expected = triggers.triggers
        guard expected.count != present.count || expected.contains(where: { present[$0.name] != $0.sql }) else {
            return
        }
        let noted = try Set(
            statements.all("SELECT name FROM pragma_table_info(?)", [.text(triggers.notedName)]) {
                RecordName(utf8: $0[0].bytes)
            })
        try groups(known).seal(at: time)
        for name in present.keys { try statements.run("DROP TRIGGER \(CaptureTriggers.quoted(name))") }
        for table in [triggers.noted, triggers.added] { try statements.run("DROP TABLE IF EXISTS \(table)") }
        try create(triggers)
        // Rebuilding a table drops its triggers: writes since then are found by comparison.
        let fresh = Set(table.columns.map(\.name)).filter { !noted.contains($0) }
        try MissedWrites(statements: statements, table: table, fresh: fresh, state: state, time: time).note()
        try statements.run("UPDATE _ubq_table SET is_stale = 1 WHERE tbl = ?", [.text(table.name)])
    }

    private func create(_ triggers: CaptureTriggers) throws {
        for sql in triggers.tablesSQL { try statements.run(sql) }
        for trigger in triggers.triggers { try statements.run(trigger.sql) }
    }

    // MARK: Rules

    /// Sends changed rules before any row. An older program does not replace a newer program's rules.
    private func declareRules(_ known: [RecordName?]) throws {
        var changed: [TableRules] = []
        for table in tables {
            let rules = table.rules(version: version)
            let declared = try statements.first("SELECT rules FROM _ubq_table WHERE tbl = ?", [.text(table.name)]) {
                try TableRules(decoding: $0[0].bytes)
            }
            if let declared, declared == rules || declared.version > version { continue }
            changed.append(rules)
        }
        guard !changed.isEmpty else { return }
        try groups(known).seal(at: time)
        try groups(known).append(RecordTransaction(base: state.base, time: time, rules: changed, changes: []))
        for rules in changed {
            try statements.run(
                // Rows of a new table that are already in the log must be shown.
                "INSERT INTO _ubq_table VALUES (?1, ?2, EXISTS (SELECT 1 FROM _ubq_row WHERE tbl = ?1)) "
                    + "ON CONFLICT (tbl) DO UPDATE SET rules = ?2",
                [.text(rules.table), .blob(rules.encoded())])
        }
    }

    // MARK: New tables

    /// Captures existing rows as new.
    private func share(_ table: TableSchema) throws {
        let triggers = CaptureTriggers(table: table)
        try create(triggers)
        // Rows of devices with a newer program have waited for the table.
        try statements.run(
            "UPDATE _ubq_table SET is_stale = 1 WHERE tbl = ?1 AND EXISTS (SELECT 1 FROM _ubq_row WHERE tbl = ?1)",
            [.text(table.name)])
        let key = TableSchema.list(table.key)
        let size = Self.rowsPerTransaction
        try statements.run(
            """
            INSERT INTO \(triggers.added)(_ubq_group, \(key)) \
            SELECT (SELECT grp FROM _ubq_now) + (row_number() OVER (ORDER BY \(key)) - 1) / \(size), \(key) \
            FROM \(table.name.quoted)
            """)
        try statements.run(
            "UPDATE _ubq_now SET grp = 1 + max(grp, (SELECT coalesce(max(_ubq_group), 0) FROM \(triggers.added)))")
    }

    /// The tables, parents before their children, as far as references are not circular.
    private func parentsFirst() -> [TableSchema] {
        var sorted: [TableSchema] = []
        var rest = tables
        while !rest.isEmpty {
            let waiting = Set(rest.map(\.name))
            let index = rest.firstIndex { table in
                table.references.allSatisfy { $0.table == table.name || !waiting.contains($0.table) }
            }
            sorted.append(rest.remove(at: index ?? 0))
        }
        return sorted
    }
}
