import Basics
import CloudModel
import GRDB
import Records

/// Reads committed values not shown in the tables. Runs in a transaction of the database.
struct DecisionReader {
    let statements: StatementCache
    let tables: [TableSchema]
    let origins: WriteOrigins

    private func table(_ name: RecordName) -> TableSchema? { tables.first { $0.name == name } }

    // MARK: Lost values

    func lostValues(limit: Int) throws -> [LostValue] {
        let records = try statements.all(
            "SELECT body FROM _ubq_lost ORDER BY id DESC LIMIT ?", [.integer(Int64(max(0, limit)))]
        ) { try Records.LostValue(decoding: $0[0].bytes) }
        return try records.map(lostValue)
    }

    func lostValue(_ record: Records.LostValue) throws -> LostValue {
        let row = try present(record.row)
        var current: RecordValue?
        if let column = record.column, let table = table(row.table) {
            current = try TableRows(statements: statements, table: table).read(row.key)?[column]
        }
        return LostValue(
            table: row.table.description, key: row.key.databaseValues, column: record.column?.description,
            value: record.value.databaseValue, origin: origins.origin(of: record.stamp),
            replacedBy: origins.origin(of: record.winner), reason: LostValue.Reason(record.reason),
            current: current?.databaseValue, record: record, row: row)
    }

    /// Returns the row represented by an id in the tables, where pending transactions may have united rows too.
    func present(_ id: RowID) throws -> RowID {
        var (id, visited) = (id, Set<RowID>())
        while visited.insert(id).inserted {
            let target = try statements.first(
                "SELECT target FROM _ubq_alias WHERE tbl = ?1 AND key = ?2 "
                    + "UNION ALL SELECT target FROM _ubq_union WHERE tbl = ?1 AND key = ?2", id.stored
            ) { try RecordKey(decoding: $0[0].bytes) }
            guard let target else { break }
            id = RowID(table: id.table, key: target)
        }
        return id
    }

    // MARK: Set-aside rows

    /// - Parameter records: The view of the log with the pending transactions.
    func asideRows(_ records: StoredRecords, limit: Int) throws -> [AsideRow] {
        var rows: [AsideRow] = []
        for id in try records.asideRows() where rows.count < limit {
            guard let record = try records.row(id), case .aside(let reason) = record.place else { continue }
            rows.append(asideRow(id, record, AsideRow.Reason(reason)))
        }
        let refused = try statements.all("SELECT tbl, key, message FROM _ubq_refused ORDER BY tbl, key") { row in
            (try RowID(stored: row), String(decoding: row[2].bytes, as: UTF8.self))
        }
        for (id, message) in refused where rows.count < limit {
            // The row may have changed since the last attempt.
            guard let table = table(id.table), let record = try records.row(id), let wanted = table.shown(record, id),
                try TableRows(statements: statements, table: table).read(id.key) != wanted
            else { continue }
            rows.append(asideRow(id, record, .refused(message: message)))
        }
        return rows
    }

    private func asideRow(_ id: RowID, _ record: Records.Record, _ reason: AsideRow.Reason) -> AsideRow {
        var values: [String: DatabaseValue] = [:]
        if let table = table(id.table) {
            for (name, value) in zip(table.key, id.key.values) { values[name.description] = value.databaseValue }
            for column in table.columns {
                let value = record.columns[column.name]?.value ?? column.preset
                values[column.name.description] = value.databaseValue
            }
        }
        return AsideRow(
            table: id.table.description, key: id.key.databaseValues, values: values,
            origin: origins.origin(of: record.created), reason: reason)
    }

    // MARK: Conflicting values

    func conflicts(_ records: StoredRecords, limit: Int) throws -> [ValueConflict] {
        var conflicts: [ValueConflict] = []
        for id in try records.rowsWithAlternatives() where conflicts.count < limit {
            conflicts += try self.conflicts(of: id, in: records).prefix(limit - conflicts.count)
        }
        return conflicts
    }

    /// Returns nothing for a row missing from this device's tables, and omits missing columns.
    func conflicts(of id: RowID, in records: StoredRecords) throws -> [ValueConflict] {
        guard let table = table(id.table), let record = try records.row(id), table.shown(record, id) != nil else {
            return []
        }
        return table.columns.compactMap { column in
            guard let found = record.columns[column.name], !found.beside.isEmpty else { return nil }
            return ValueConflict(
                table: id.table.description, key: id.key.databaseValues, column: column.name.description,
                current: candidate(found.value, found.stamp),
                others: found.beside.map { candidate($0.value, $0.stamp) },
                row: id, name: column.name)
        }
    }

    private func candidate(_ value: RecordValue, _ stamp: RecordStamp) -> ValueConflict.Candidate {
        ValueConflict.Candidate(
            value: value.databaseValue, origin: origins.origin(of: stamp), record: value, device: stamp.device)
    }
}
