import Basics
import CloudModel
import Records

/// Makes transactions of what the triggers noted.
///
/// A group is what the triggers noted under one number. The library gives each of its own transactions a number. Triggers cannot notice
/// where a transaction of another program ends, so what others commit between two looks of the library is one group: each of their
/// transactions is in it as a whole.
struct CapturedGroups {
    let statements: StatementCache
    let tables: [TableSchema]
    let state: StoreState

    /// Begins a group for the transaction that is running; what other programs have committed is the one before it.
    static func begin(_ statements: StatementCache) throws {
        try statements.run("UPDATE _ubq_now SET grp = grp + 1")
    }

    /// Ends the group of the transaction that is running.
    static func end(_ statements: StatementCache, at time: Timestamp) throws {
        try statements.run("INSERT INTO _ubq_group SELECT grp, ? FROM _ubq_now", [.integer(time.nanoseconds)])
        try begin(statements)
    }

    /// Turns all groups into pending transactions, in their order.
    func seal(at time: Timestamp) throws {
        var groups: [Int64: [RecordChange]] = [:]
        for table in tables {
            for (group, change) in try changes(of: table) { groups[group, default: []].append(change) }
        }
        if !groups.isEmpty {
            let unions = try unions()
            for (group, changes) in groups.sorted(by: { $0.key < $1.key }) {
                let committed = try statements.first("SELECT time FROM _ubq_group WHERE grp = ?", [.integer(group)]) {
                    Timestamp(nanoseconds: $0.integer(0))
                }
                try append(
                    RecordTransaction(
                        base: state.base, time: committed ?? time, unions: unions, changes: changes))
            }
            for table in tables {
                let triggers = CaptureTriggers(table: table)
                try statements.run("DELETE FROM \(triggers.noted)")
                if try !columns(of: triggers.addedName).isEmpty { try statements.run("DELETE FROM \(triggers.added)") }
            }
        }
        try statements.run("DELETE FROM _ubq_group")
        try Self.begin(statements)
    }

    /// The rows that became others by pending transactions.
    func unions() throws -> [RowUnion] {
        try statements.all("SELECT tbl, key, target FROM _ubq_union") { row in
            RowUnion(row: try RowID(stored: row), key: try RecordKey(decoding: row[2].bytes))
        }
    }

    /// Stores a pending transaction. One that is too large for a file is divided: better in parts than never.
    func append(_ transaction: RecordTransaction) throws {
        let file = RecordFile(
            store: state.store, device: state.device, deviceName: "", number: 1, transactions: [transaction])
        let body: [UInt8]
        do throws(RecordFileError) {
            body = try file.encoded()
        } catch {
            guard case .tooLarge = error, transaction.changes.count > 1 else { throw error }
            let middle = transaction.changes.count / 2
            for part in [transaction.changes[..<middle], transaction.changes[middle...]] {
                var half = transaction
                half.changes = Array(part)
                try append(half)
            }
            return
        }
        try statements.run("INSERT INTO _ubq_pending(body) VALUES (?)", [.blob(body)])
    }

    // MARK: From noted rows to changes

    /// A row as it was at some time; nil if it was not there.
    private typealias Image = [RecordName: RecordValue]?

    private struct Noted {
        let group: Int64
        let key: RecordKey
        let before: Image
        /// As the table has it now.
        let now: Image
    }

    private func changes(of table: TableSchema) throws -> [(Int64, RecordChange)] {
        var changes: [(Int64, RecordChange)] = []
        var last: Noted?
        func finish(_ noted: Noted, after: Image) {
            let row = RowID(table: table.name, key: noted.key)
            guard let change = table.change(of: row, from: noted.before, to: after) else { return }
            changes.append((noted.group, change))
        }
        try notedRows(of: table) { noted in
            // A row that was not there, and was changed or removed after its insert, is in both tables of noted rows.
            if let last, last.key == noted.key, last.group == noted.group { return }
            if let last { finish(last, after: last.key == noted.key ? noted.before : last.now) }
            last = noted
        }
        if let last { finish(last, after: last.now) }
        return changes
    }

    /// Passes the noted rows by key and then by group, those that were not there first.
    private func notedRows(of table: TableSchema, _ body: (Noted) -> Void) throws {
        let triggers = CaptureTriggers(table: table)
        let columns = table.columns.map(\.name)
        let captured = try self.columns(of: triggers.notedName)
        let marks = columns.indices.map { "_ubq_\($0)" }
        let fields =
            ["_ubq_group", "_ubq_there"] + table.key.map { "w.\($0.quoted)" } + ["o.\(table.key[0].quoted) IS NOT NULL"]
            + marks + columns.map { "o.\($0.quoted)" }
        let named = ["_ubq_group", "_ubq_there"] + table.key.map(\.quoted) + marks
        let order = table.key.map { "w.\($0.quoted)" } + ["_ubq_group", "_ubq_there"]
        let sql = """
            WITH w(\(named.joined(separator: ", "))) AS (\(try notedSQL(table, captured))) \
            SELECT \(fields.joined(separator: ", ")) FROM w LEFT JOIN \(table.name.quoted) AS o \
            ON \(table.sameKey("o", "w")) ORDER BY \(order.joined(separator: ", "))
            """
        try statements.run(sql) { row in
            let start = 2 + table.key.count
            // No column of a key is NULL: by its declaration, or by a trigger.
            guard let key = RecordKey(row.values(2..<start)) else { return }
            func image(_ offset: Int, _ isThere: Bool, _ isKnown: (RecordName) -> Bool) -> Image {
                guard isThere else { return nil }
                var image: [RecordName: RecordValue] = [:]
                for (place, column) in table.columns.enumerated() {
                    image[column.name] = isKnown(column.name) ? row[offset + place] : column.preset
                }
                return image
            }
            body(
                Noted(
                    group: row.integer(0), key: key,
                    before: image(start + 1, row.integer(1) == 1) { captured.contains($0) },
                    now: image(start + 1 + columns.count, row.integer(start) == 1) { _ in true }))
        }
    }

    /// The noted rows of both tables: the group, whether the row was there, its key, and its other columns.
    private func notedSQL(_ table: TableSchema, _ captured: Set<RecordName?>) throws -> String {
        let triggers = CaptureTriggers(table: table)
        let key = TableSchema.list(table.key)
        // A column that was added after the triggers were made had its preset value when a row was noted.
        let before = table.columns.map { captured.contains($0.name) ? $0.name.quoted : "NULL" }
        // The tables of a release that noted all rows in one.
        let there = captured.contains(RecordName("_ubq_there")) ? "_ubq_there" : "1"
        let old = "SELECT \((["_ubq_group", there, key] + before).joined(separator: ", ")) FROM \(triggers.noted)"
        guard try !columns(of: triggers.addedName).isEmpty else { return old }
        let nothing = table.columns.map { _ in "NULL" }
        return old + " UNION ALL SELECT \((["_ubq_group", "0", key] + nothing).joined(separator: ", ")) "
            + "FROM \(triggers.added)"
    }

    private func columns(of table: String) throws -> Set<RecordName?> {
        try Set(
            statements.all("SELECT name FROM pragma_table_info(?)", [.text(table)]) { RecordName(utf8: $0[0].bytes) })
    }
}
