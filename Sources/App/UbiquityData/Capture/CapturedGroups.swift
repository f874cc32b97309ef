import Basics
import CloudModel
import Records

/// Turns captured rows into transactions.
///
/// A group is all rows captured under the same number. The library numbers each of its own transactions. Triggers
/// cannot notice the end of another program's transaction, so its commits between two checks by the library form a
/// single group: each transaction is entirely in it.
struct CapturedGroups {
    let statements: StatementCache
    let tables: [TableSchema]
    let state: StoreState

    /// Begins a group for the current transaction; earlier commits by foreign programs are in the group before it.
    static func begin(_ statements: StatementCache) throws {
        try statements.run("UPDATE _ubq_now SET grp = grp + 1")
    }

    /// Ends the current transaction's group.
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

    /// Rows united by pending transactions.
    func unions() throws -> [RowUnion] {
        try statements.all("SELECT tbl, key, target FROM _ubq_union") { row in
            RowUnion(row: try RowID(stored: row), key: try RecordKey(decoding: row[2].bytes))
        }
    }

    /// Stores a pending transaction. If it is too large for a file, it is divided: better in parts than never.
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

    // MARK: From captured rows to changes

    /// A row's state at some time; nil if it did not exist.
    private typealias Image = [RecordName: RecordValue]?

    private struct Noted {
        let group: Int64
        let key: RecordKey
        let before: Image
        /// The table's current state.
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
            // A new row changed or removed after its insert is in both capture tables.
            if let last, last.key == noted.key, last.group == noted.group { return }
            if let last { finish(last, after: last.key == noted.key ? noted.before : last.now) }
            last = noted
        }
        if let last { finish(last, after: last.now) }
        return changes
    }

    /// Passes captured rows by key and then by group, new rows first.
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
            // Key columns are never NULL: by declaration, or by a trigger.
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

    /// The captured rows of both tables: the group, whether the row existed, its key, and its remaining columns.
    private func notedSQL(_ table: TableSchema, _ captured: Set<RecordName?>) throws -> String {
        let triggers = CaptureTriggers(table: table)
        let key = TableSchema.list(table.key)
        // A column added after the triggers were created had its default value when the row was captured.
        let before = table.columns.map { captured.contains($0.name) ? $0.name.quoted : "NULL" }
        // An earlier release's tables record all rows in a single table.
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
