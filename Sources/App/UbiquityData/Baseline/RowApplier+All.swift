import Records

/// Whole tables, in pages, so that memory does not grow with the database.
extension RowApplier {
    private static let page = 500

    /// Makes all shared tables equal to the folded log. Changed rows are not listed.
    mutating func applyAll(_ records: StoredRecords) throws {
        notesRows = false
        defer { notesRows = true }
        try statements.run("DELETE FROM _ubq_refused")
        // All removals precede all additions, so that rows can exchange their unique values.
        for rows in shared { try clearAll(rows, records) }
        for rows in shared { try addAll(rows) }
    }

    private mutating func clearAll(_ rows: TableRows, _ records: StoredRecords) throws {
        var last: RecordKey?
        repeat {
            let keys = try rows.keys(after: last, limit: Self.page)
            for key in keys { try clear(rows, key, try records.row(RowID(table: rows.table.name, key: key))) }
            last = keys.count < Self.page ? nil : keys.last
        } while last != nil
    }

    private mutating func addAll(_ rows: TableRows) throws {
        let table = RecordValue.text(rows.table.name)
        var last = RecordValue.blob([])
        var count = Self.page
        while count == Self.page {
            let found = try statements.all(
                "SELECT key, body FROM _ubq_row WHERE tbl = ? AND place = 0 AND key > ? ORDER BY key LIMIT ?",
                [table, last, .integer(Int64(Self.page))]
            ) { ($0[0], $0[1].bytes) }
            count = found.count
            last = found.last?.0 ?? last
            for (stored, body) in found {
                let id = RowID(table: rows.table.name, key: try RecordKey(decoding: stored.bytes))
                guard let wanted = rows.table.shown(try Record(decoding: body), id) else { continue }
                try apply(rows, id.key, wanted)
            }
        }
    }
}
