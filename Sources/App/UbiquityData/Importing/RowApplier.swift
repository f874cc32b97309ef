import Foundation
import GRDB
import Records

/// Makes rows of the program's tables equal to the view. Foreign keys must be off, so that no foreign-key action
/// changes other rows: the writing device's transaction already includes the effects.
struct RowApplier {
    /// A row's target state, without its key columns; nil for a row not in its table.
    typealias Wanted = [RecordName: RecordValue]?

    let statements: StatementCache
    private let tables: [RecordName: TableRows]
    /// Whether ``changes`` lists the changed rows.
    var notesRows = true
    private(set) var changes: [UbiquitousChanges.Row] = []
    private(set) var refused: [UbiquitousChanges.Refusal] = []

    init(_ statements: StatementCache, _ tables: [TableSchema]) {
        self.statements = statements
        let rows = tables.map { ($0.name, TableRows(statements: statements, table: $0)) }
        self.tables = Dictionary(rows) { first, _ in first }
    }

    var shared: [TableRows] { tables.values.sorted { $0.table.name < $1.table.name } }

    private struct Write {
        let rows: TableRows
        let key: RecordKey
        /// The changed columns, or all of them for a new row.
        let values: [RecordName: RecordValue]
        let kind: UbiquitousChanges.Kind
        let isInsert: Bool
    }

    /// - Parameter wanted: Includes all previously refused rows.
    mutating func apply(_ wanted: [RowID: Wanted]) throws {
        try statements.run("DELETE FROM _ubq_refused")
        var writes: [Write] = []
        for (id, wanted) in wanted.sorted(by: { $0.key < $1.key }) {
            guard let rows = tables[id.table] else { continue }
            if let write = try prepare(rows, id.key, wanted) { writes.append(write) }
        }
        // All removals precede all additions, so that rows can exchange their unique values.
        for write in writes { try perform(write) }
    }

    /// Removes a row missing from the log, or with different unique columns.
    mutating func clear(_ rows: TableRows, _ key: RecordKey, _ record: Records.Record?) throws {
        _ = try prepare(rows, key, record.flatMap { rows.table.shown($0, RowID(table: rows.table.name, key: key)) })
    }

    /// Brings a single row to its target state.
    mutating func apply(_ rows: TableRows, _ key: RecordKey, _ wanted: Wanted) throws {
        if let write = try prepare(rows, key, wanted) { try perform(write) }
    }

    /// Removes a row that is to vanish or change its unique columns, and returns the pending write.
    private mutating func prepare(_ rows: TableRows, _ key: RecordKey, _ wanted: Wanted) throws -> Write? {
        let table = rows.table
        let present = try rows.read(key)
        guard let wanted else {
            if present != nil {
                try rows.delete(key)
                note(table, key, .deleted)
            }
            return nil
        }
        guard let present else {
            return Write(rows: rows, key: key, values: wanted, kind: .inserted, isInsert: true)
        }
        let changed = wanted.filter { present[$0.key] != $0.value }
        guard !changed.isEmpty else { return nil }
        guard table.constrained.isDisjoint(with: changed.keys) else {
            try rows.delete(key)
            return Write(rows: rows, key: key, values: wanted, kind: .updated, isInsert: true)
        }
        return Write(rows: rows, key: key, values: changed, kind: .updated, isInsert: false)
    }

    private mutating func perform(_ write: Write) throws {
        let (rows, table) = (write.rows, write.rows.table)
        do {
            if write.isInsert {
                try rows.insert(write.key, write.values)
            } else {
                try rows.update(write.key, write.values)
            }
            note(table, write.key, write.kind)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            let message = error.message ?? "a constraint"
            let stored = RowID(table: table.name, key: write.key).stored
            try statements.run("INSERT INTO _ubq_refused VALUES (?, ?, ?)", stored + [.text(message)])
            refused.append(
                UbiquitousChanges.Refusal(
                    table: table.name.description, key: write.key.values.map(\.databaseValue), message: message))
        }
    }

    private mutating func note(_ table: TableSchema, _ key: RecordKey, _ kind: UbiquitousChanges.Kind) {
        guard notesRows else { return }
        changes.append(
            UbiquitousChanges.Row(
                table: table.name.description, key: key.values.map(\.databaseValue), kind: kind))
    }
}

extension RecordValue {
    var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .real(let number): number.databaseValue
        case .text(let bytes): String(decoding: bytes, as: UTF8.self).databaseValue
        case .blob(let bytes): Data(bytes).databaseValue
        }
    }
}
