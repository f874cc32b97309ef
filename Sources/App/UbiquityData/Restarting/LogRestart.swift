import Basics
import CloudModel
import GRDB
import Records

/// Switches to a different log than the folded one, after the cloud went back. Runs in transactions of the database.
///
/// The folded rows are kept aside, and the current log is folded from its beginning, while the program's tables stay as
/// they are. Then the differences are pending (``Restoration``), and the tables show both. This device writes under a
/// new id, so that no file number stands for two files. After a crash at any step, the device continues with the next.
struct LogRestart {
    /// Rows are sent in transactions of this size.
    private static let rowsPerTransaction = 1_000
    private static let page = 500

    let statements: StatementCache
    let tables: [TableSchema]
    let path: String
    let time: Timestamp

    /// Whether rows are kept aside.
    static func isRunning(_ statements: StatementCache) throws -> Bool {
        try statements.first("SELECT 1 FROM _ubq_known LIMIT 1", [], { _ in true }) != nil
    }

    /// Each device's last folded file of the former log; empty if there is none.
    static func known(_ statements: StatementCache) throws -> [DeviceID: UInt64] {
        let files = try statements.all("SELECT device, file FROM _ubq_known") {
            (DeviceID(UInt64(bitPattern: $0.integer(0))), UInt64(bitPattern: $0.integer(1)))
        }
        return Dictionary(files) { max($0, $1) }
    }

    // MARK: Beginning

    /// Keeps the folded rows aside, and begins again.
    func begin(_ start: StoreState, device: DeviceID) throws {
        try CapturedGroups(statements: statements, tables: tables, state: start).seal(at: time)
        // A log that goes back again while being folded is dropped: every device with its rows has kept them.
        if try !Self.isRunning(statements) {
            try statements.run("INSERT INTO _ubq_kept SELECT tbl, key, body FROM _ubq_row")
            try statements.run("INSERT INTO _ubq_known SELECT device, file FROM _ubq_device")
        }
        try statements.run("INSERT OR IGNORE INTO _ubq_former VALUES (?)", [.bits(start.device.value)])
        try statements.run("UPDATE _ubq_pending SET file = NULL")
        for table in [
            "file", "rules", "row", "claim", "child", "alias", "beside", "device", "baseline", "outgoing", "part",
        ] {
            try statements.run("DELETE FROM _ubq_\(table)")
        }
        try StoreState(store: start.store, device: device).save(statements)
    }

    // MARK: Ending

    /// Makes everything missing from the current log pending, and shows the rows. The log must be folded.
    func finish(_ state: StoreState) throws -> UbiquitousChanges {
        try CapturedGroups(statements: statements, tables: tables, state: state).seal(at: time)
        let records = StoredRecords(statements: statements, now: time)
        let restoration = Restoration(known: try Self.known(statements))
        try rebasePending(restoration, records, state)
        try restoreRows(restoration, records, state)
        for table in ["kept", "known"] { try statements.run("DELETE FROM _ubq_\(table)") }
        var applier = RowApplier(statements, tables)
        try statements.run("UPDATE _ubq_now SET capturing = 0")
        try applier.applyAll(records)
        try statements.run("UPDATE _ubq_now SET capturing = 1")
        return try RecordImporter(statements: statements, tables: tables, path: path, time: time).run([], state)
    }

    private func kept(_ id: RowID) throws -> Records.Record? {
        try statements.first("SELECT body FROM _ubq_kept WHERE tbl = ? AND key = ?", id.stored) {
            try Records.Record(decoding: $0[0].bytes)
        }
    }

    /// Sets each pending transaction's knowledge of the current log. If it concerns a row changed there by another
    /// device, it knew nothing, so that it replaces nothing unseen.
    private func rebasePending(_ restoration: Restoration, _ records: StoredRecords, _ state: StoreState) throws {
        for id in try statements.all("SELECT id FROM _ubq_pending ORDER BY id", [], { $0[0] }) {
            let body = try statements.first("SELECT body FROM _ubq_pending WHERE id = ?", [id]) { $0[0].bytes } ?? []
            var file = try RecordFile(decoding: body)
            for place in file.transactions.indices {
                let isKnown = try file.transactions[place].changes.allSatisfy { change in
                    try restoration.knows(records.row(records.resolved(change.row)), kept: kept(change.row))
                }
                file.transactions[place].base = isKnown ? state.base : .start
            }
            file.device = state.device
            try statements.run("UPDATE _ubq_pending SET body = ? WHERE id = ?", [.blob(try file.encoded()), id])
        }
    }

    /// Puts the device's former rows before all pending transactions.
    private func restoreRows(_ restoration: Restoration, _ records: StoredRecords, _ state: StoreState) throws {
        let later = try statements.all("SELECT id FROM _ubq_pending ORDER BY id", [], { $0[0] })
        let groups = CapturedGroups(statements: statements, tables: tables, state: state)
        let rules = try missingRules(records)
        if !rules.isEmpty { try groups.append(transaction([], isKnown: true, rules: rules, state)) }
        var steps: [Bool: [RecordChange]] = [:]
        try forEachKept { id, kept in
            let present = try records.row(records.resolved(id))
            guard let step = restoration.step(id, kept: kept, present: present) else { return }
            steps[step.isKnown, default: []].append(step.change)
            guard let changes = steps[step.isKnown], changes.count == Self.rowsPerTransaction else { return }
            try groups.append(transaction(changes, isKnown: step.isKnown, state))
            steps[step.isKnown] = nil
        }
        for (isKnown, changes) in steps.sorted(by: { $0.key && !$1.key }) {
            try groups.append(transaction(changes, isKnown: isKnown, state))
        }
        for id in later {
            try statements.run(
                "INSERT INTO _ubq_pending(file, body) SELECT file, body FROM _ubq_pending WHERE id = ?", [id])
            try statements.run("DELETE FROM _ubq_pending WHERE id = ?", [id])
        }
    }

    private func transaction(
        _ changes: [RecordChange], isKnown: Bool, rules: [TableRules] = [], _ state: StoreState
    ) -> RecordTransaction {
        RecordTransaction(base: isKnown ? state.base : .start, time: time, rules: rules, changes: changes)
    }

    /// Rules declared by this device and missing from the current log.
    private func missingRules(_ records: StoredRecords) throws -> [TableRules] {
        try statements.all("SELECT rules FROM _ubq_table ORDER BY tbl") { try TableRules(decoding: $0[0].bytes) }
            .filter { rules in
                guard let present = try records.rules(of: rules.table) else { return true }
                return rules != present && rules.version >= present.version
            }
    }

    private func forEachKept(_ body: (RowID, Records.Record) throws -> Void) throws {
        var last: [RecordValue] = [.text(""), .blob([])]
        var count = Self.page
        while count == Self.page {
            let found = try statements.all(
                "SELECT tbl, key, body FROM _ubq_kept WHERE (tbl, key) > (?, ?) ORDER BY tbl, key LIMIT ?",
                last + [.integer(Int64(Self.page))]
            ) { ($0[0], $0[1], try RowID(stored: $0), try Records.Record(decoding: $0[2].bytes)) }
            count = found.count
            if let end = found.last { last = [end.0, end.1] }
            for (_, _, id, record) in found { try body(id, record) }
        }
    }
}
