import Basics
public import GRDB
import Records

extension UbiquitousDatabase {
    /// Returns the authors of a row's columns, and its lost values. Includes the log and this device's own pending
    /// transactions, as ``conflicts(limit:)`` does.
    ///
    /// - Returns: Nil if no device has created such a row.
    /// - Throws: ``UbiquitousDatabaseError/unsharable(table:reason:)`` if the table is not shared, or its key
    ///   has different columns.
    public func history(of table: String, key: [DatabaseValue]) throws -> RowHistory? {
        let (schema, key) = try row(table, key)
        return try viewing { reader, records in
            try reader.history(of: RowID(table: schema.name, key: key), in: records)
        }
    }

    /// Finds a shared table's row by a person's textual key: a number may be a text.
    ///
    /// - Returns: The first key with a row; nil if there is none.
    package func key(of table: String, texts: [String]) throws -> [DatabaseValue]? {
        let candidates: [[DatabaseValue]] = texts.map { text in
            let numbers = [Int64(text).map(\.databaseValue), Double(text).map(\.databaseValue)].compactMap { $0 }
            return [text.databaseValue] + numbers
        }
        // Three readings per key column; a key has few, and a person types them.
        guard candidates.count <= Self.maximumTypedColumns else { return nil }
        let keys = candidates.reduce([[]]) { keys, values in keys.flatMap { key in values.map { key + [$0] } } }
        for key in keys where try history(of: table, key: key) != nil { return key }
        return nil
    }

    private static var maximumTypedColumns: Int { 6 }

    private func row(_ table: String, _ key: [DatabaseValue]) throws -> (TableSchema, RecordKey) {
        guard let name = RecordName(table), let schema = tables.first(where: { $0.name == name }) else {
            throw UbiquitousDatabaseError.unsharable(table: table, reason: "it is not among the shared tables")
        }
        guard key.count == schema.key.count, let found = RecordKey(key.map { RecordValue($0) }) else {
            throw UbiquitousDatabaseError.unsharable(
                table: table,
                reason:
                    "its key has \(schema.key.count) columns (\(schema.key.map(\.description).joined(separator: ", "))), "
                    + "and \(key.count) values were given")
        }
        return (schema, found)
    }
}

extension DecisionReader {
    /// Returns the history of a row, or of the row it was united with.
    func history(of id: RowID, in records: StoredRecords) throws -> RowHistory? {
        let id = try present(id)
        guard let record = try records.row(id) else { return nil }
        let place: RowHistory.Place =
            switch record.place {
            case .live: .live
            case .deleted(let stamp): .deleted(origins.origin(of: stamp))
            case .aside(let reason): .aside(AsideRow.Reason(reason))
            }
        let columns = record.columns.sorted { $0.key < $1.key }.map { name, column in
            RowHistory.Column(
                name: name.description, value: column.value.databaseValue, origin: origins.origin(of: column.stamp),
                others: column.beside.map {
                    RowHistory.Candidate(value: $0.value.databaseValue, origin: origins.origin(of: $0.stamp))
                })
        }
        let lost = try statements.all(
            "SELECT body FROM _ubq_lost WHERE tbl = ? AND key = ? ORDER BY id DESC LIMIT 1000", id.stored
        ) { try Records.LostValue(decoding: $0[0].bytes) }
        return RowHistory(
            table: id.table.description, key: id.key.databaseValues, place: place,
            created: origins.origin(of: record.created), columns: columns, lost: try lost.map(lostValue))
    }
}
