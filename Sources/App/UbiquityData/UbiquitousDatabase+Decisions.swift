import Basics
public import GRDB
import Records

/// Lost writes, set-aside rows and conflicts, and a person's decisions about them.
///
/// The lists reflect the log as folded on this device, with its own commits. All calls throw SQLite's errors, and
/// ``UbiquitousDatabaseError/damaged(path:what:)``.
extension UbiquitousDatabase {
    // MARK: Lost values

    /// How long lost values are kept (docs/DATABASES.md).
    private static let keepsLost = Duration.seconds(30 * 86_400)

    /// Returns values replaced or refused by a device unaware of them, most recently replaced first.
    ///
    /// A value is listed as soon as the log has the replacing transaction, and for 30 days from then by this device's
    /// clock; an import removes older entries. Restored values are no longer listed.
    ///
    /// - Parameter limit: Maximum number of values.
    public func lostValues(limit: Int = 1_000) throws -> [LostValue] {
        try reader.read { db in
            let statements = StatementCache(db)
            return try decisionReader(statements, state(statements)).lostValues(limit: limit)
        }
    }

    /// Restores a lost value, or repeats a refused deletion, in a separate transaction for all devices. Foreign keys
    /// act as in ``write(_:)``.
    ///
    /// - Throws: ``UbiquitousDatabaseError/notShown(table:)`` if the row or the column is not in this device's table,
    ///   and SQLite's error if a constraint refuses the value, such as a unique column's value already used by another
    ///   row. Then nothing is changed.
    public func restore(_ lost: LostValue) throws {
        try inTransaction { statements in
            guard let table = tables.first(where: { $0.name == lost.row.table }) else {
                throw UbiquitousDatabaseError.notShown(table: lost.table)
            }
            let rows = TableRows(statements: statements, table: table)
            guard let present = try rows.read(lost.row.key) else {
                throw UbiquitousDatabaseError.notShown(table: lost.table)
            }
            try group(statements) {
                if let column = lost.record.column {
                    guard present[column] != nil else { throw UbiquitousDatabaseError.notShown(table: lost.table) }
                    try rows.update(lost.row.key, [column: lost.record.value])
                } else {
                    try rows.delete(lost.row.key)
                }
            }
            try statements.run(
                "DELETE FROM _ubq_lost WHERE tbl = ? AND key = ? AND body = ?",
                lost.record.row.stored + [.blob(lost.record.encoded())])
            try statements.db.notifyChanges(in: Table(lost.table))
        }
    }

    /// Removes expired lost values.
    func forgetLostValues() throws {
        let oldest = RecordValue.integer(clock.now().adding(.zero - Self.keepsLost).nanoseconds)
        // Usually an import finds nothing, and the database need not be locked.
        let isOld = try reader.read {
            try StatementCache($0).first("SELECT 1 FROM _ubq_lost WHERE noted < ? LIMIT 1", [oldest]) { _ in true }
        }
        guard isOld == true else { return }
        try inTransaction { try $0.run("DELETE FROM _ubq_lost WHERE noted < ?", [oldest]) }
    }

    // MARK: Set-aside rows

    /// Returns complete rows missing from their table or differing from the devices' commits, with the reason.
    ///
    /// - Parameter limit: Maximum number of rows.
    public func asideRows(limit: Int = 1_000) throws -> [AsideRow] {
        try viewing { try $0.asideRows($1, limit: limit) }
    }

    // MARK: Pending conflicts

    /// Returns undecided conflicts in columns declared `conflict`, for rows in their tables.
    ///
    /// - Parameter limit: Maximum number of conflicts.
    public func conflicts(limit: Int = 1_000) throws -> [ValueConflict] {
        try viewing { try $0.conflicts($1, limit: limit) }
    }

    /// Chooses a candidate. The remaining values are dropped on all devices, except for concurrent writes.
    ///
    /// - Throws: ``UbiquitousDatabaseError/conflictChanged(table:column:)`` if the values have changed since `conflict`
    ///   was listed, also if it is already decided. Then nothing is changed.
    public func decide(_ conflict: ValueConflict, for candidate: ValueConflict.Candidate) throws {
        try decide(conflict, value: candidate.record)
    }

    /// Resolves a conflict with a value composed by a person, and drops the candidates. Otherwise like
    /// ``decide(_:for:)``.
    public func decide(_ conflict: ValueConflict, value: some DatabaseValueConvertible) throws {
        try decide(conflict, value: RecordValue(value.databaseValue))
    }

    private func decide(_ conflict: ValueConflict, value: RecordValue) throws {
        try inTransaction { statements in
            let state = try state(statements)
            let groups = CapturedGroups(statements: statements, tables: tables, state: state)
            try groups.seal(at: clock.now())
            let reader = try decisionReader(statements, state)
            let view = PendingView(statements: statements, state: state, now: clock.now())
            let present = try view.read { records, _ in try reader.conflicts(of: conflict.row, in: records) }
                .first { $0.name == conflict.name }
            // A value added since was not seen by the person and must not vanish.
            guard let present, present.seen == conflict.seen,
                let table = tables.first(where: { $0.name == conflict.row.table })
            else { throw UbiquitousDatabaseError.conflictChanged(table: conflict.table, column: conflict.column) }
            // An offer, even if the value is current or the column is not declared `conflict` on this device: an
            // earlier value in the log, unknown to this device, stands beside it, and neither replaces it nor is lost.
            try append([RecordChange(conflict.row, .update, edits: [conflict.name: .offer(value)])], groups, state)
            if value != present.current.record {
                try group(statements) {
                    try TableRows(statements: statements, table: table).update(conflict.row.key, [conflict.name: value])
                }
                try groups.seal(at: clock.now())
                try statements.db.notifyChanges(in: Table(conflict.table))
            }
            // A decision keeps the current value, so it follows the edit as a separate transaction.
            try append([RecordChange(conflict.row, .resolve([conflict.name]))], groups, state)
        }
    }

    /// Stores a transaction without table changes, which triggers do not capture.
    private func append(_ changes: [RecordChange], _ groups: CapturedGroups, _ state: StoreState) throws {
        try groups.append(
            RecordTransaction(base: state.base, time: clock.now(), unions: groups.unions(), changes: changes))
    }

    // MARK: Access

    private func decisionReader(_ statements: StatementCache, _ state: StoreState) throws -> DecisionReader {
        DecisionReader(
            statements: statements, tables: tables,
            origins: try WriteOrigins(statements, device: state.device, name: deviceName))
    }

    /// Passes the log with all local commits. Nothing of it is stored.
    func viewing<T>(_ body: (DecisionReader, StoredRecords) throws -> T) throws -> T {
        try inTransaction(completion: .rollback) { statements in
            let state = try state(statements)
            try CapturedGroups(statements: statements, tables: tables, state: state).seal(at: clock.now())
            let reader = try decisionReader(statements, state)
            let view = PendingView(statements: statements, state: state, now: clock.now())
            return try view.read { records, _ in try body(reader, records) }
        }
    }
}

extension RecordValue {
    init(_ value: DatabaseValue) {
        switch value.storage {
        case .null: self = .null
        case .int64(let number): self = .integer(number)
        case .double(let number): self = .number(number)
        case .string(let text): self = .text(text)
        case .blob(let data): self = .blob(Array(data))
        }
    }
}
