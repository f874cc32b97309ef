import Basics
import Records

/// Finds writes to a table while it had no triggers, such as by a program rebuilding it: any difference from the log
/// and the pending transactions.
struct MissedWrites {
    let statements: StatementCache
    let table: TableSchema
    /// Newly added columns. Their values in the log are yet to be shown, and are no difference.
    let fresh: Set<RecordName>
    let state: StoreState
    let time: Timestamp

    /// Captures the rows as the triggers would have done.
    func note() throws {
        let view = PendingView(statements: statements, state: state, now: time)
        let shown = try view.read { records, _ in try differences(from: records) }
        let triggers = CaptureTriggers(table: table)
        let columns = table.columns.map(\.name)
        for (key, before) in shown.sorted(by: { $0.key < $1.key }) {
            let names = table.key + (before == nil ? [] : columns)
            let values = key.values + (before.map { image in columns.map { image[$0] ?? .null } } ?? [])
            let marks = names.map { _ in ", ?" }.joined()
            try statements.run(
                "INSERT INTO \(before == nil ? triggers.added : triggers.noted)(_ubq_group, \(TableSchema.list(names))) "
                    + "SELECT grp\(marks) FROM _ubq_now", values)
        }
    }

    /// Returns the old state of differing rows; nil for a new row.
    private func differences(from records: StoredRecords) throws -> [RecordKey: [RecordName: RecordValue]?] {
        let rows = TableRows(statements: statements, table: table)
        let refused = try Set(
            statements.all("SELECT tbl, key FROM _ubq_refused") { try RowID(stored: $0) })
        var differences: [RecordKey: [RecordName: RecordValue]?] = [:]
        for id in try records.liveRows(of: table.name) where !refused.contains(id) {
            guard let record = try records.row(id), var shown = table.shown(record, id) else { continue }
            for column in table.columns where fresh.contains(column.name) { shown[column.name] = column.preset }
            if try rows.read(id.key) != shown { differences[id.key] = .some(shown) }
        }
        let keys = try statements.all(
            "SELECT \(TableSchema.list(table.key)) FROM \(table.name.quoted)"
        ) { RecordKey($0.values(0..<table.key.count)) }
        for case let key? in keys where differences[key] == nil {
            guard try records.row(RowID(table: table.name, key: key))?.isLive != true else { continue }
            differences[key] = .some(nil)
        }
        return differences
    }
}
