import Basics
public import GRDB
import Records

/// What did not remain as a device wrote it, and what a person does about it.
///
/// The lists are those of the log as this device has folded it, with what it has committed itself. All calls throw SQLite's errors, and
/// ``UbiquitousDatabaseError/damaged(path:what:)``.
extension UbiquitousDatabase {
    // MARK: Lost values

    /// How long lost values are kept (docs/DATABASES.md).
    private static let keepsLost = Duration.seconds(30 * 86_400)

    /// Returns the values that were replaced or refused although the device that did so did not know of them, the last to be replaced first.
    ///
    /// A value is in the list once the log has the transaction that replaced it, and for 30 days from then by this device's clock; an import
    /// removes older ones. A value that was restored is no longer in it.
    ///
    /// - Parameter limit: How many at most.
    public func lostValues(limit: Int = 1_000) throws -> [LostValue] {
        try reader.read { db in
            let statements = StatementCache(db)
            return try decisionReader(statements, state(statements)).lostValues(limit: limit)
        }
    }

    /// Gives a column the value that was lost, or repeats a deletion that was refused, in a transaction of its own that the other devices
    /// receive like any other. Foreign keys act as they do in ``write(_:)``.
    ///
    /// - Throws: ``UbiquitousDatabaseError/notShown(table:)`` if the row or the column is not in this device's table, and SQLite's error if a
    ///   constraint refuses the value, such as a unique column that another row has. Then nothing is changed.
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

    /// Removes what was lost too long ago.
    func forgetLostValues() throws {
        let oldest = RecordValue.integer(clock.now().adding(.zero - Self.keepsLost).nanoseconds)
        // Most imports find nothing, and do not lock the database for it.
        let isOld = try reader.read {
            try StatementCache($0).first("SELECT 1 FROM _ubq_lost WHERE noted < ? LIMIT 1", [oldest]) { _ in true }
        }
        guard isOld == true else { return }
        try inTransaction { try $0.run("DELETE FROM _ubq_lost WHERE noted < ?", [oldest]) }
    }

    // MARK: Rows that stand aside

    /// Returns the rows that are not in their table as the devices have committed them, with the reason.
    ///
    /// - Parameter limit: How many at most.
    public func asideRows(limit: Int = 1_000) throws -> [AsideRow] {
        try viewing { try $0.asideRows($1, limit: limit) }
    }

    // MARK: Values that wait for a decision

    /// Returns the columns declared `conflict` for which a value has to be chosen, of rows that are in their table.
    ///
    /// - Parameter limit: How many at most.
    public func conflicts(limit: Int = 1_000) throws -> [ValueConflict] {
        try viewing { try $0.conflicts($1, limit: limit) }
    }

    /// Chooses one of the values that devices wrote. The others are dropped on all devices, except those of devices that write at the same
    /// time.
    ///
    /// - Throws: ``UbiquitousDatabaseError/conflictChanged(table:column:)`` if there are other values than when `conflict` was listed, also
    ///   if it is decided already. Then nothing is changed.
    public func decide(_ conflict: ValueConflict, for candidate: ValueConflict.Candidate) throws {
        try decide(conflict, value: candidate.record)
    }

    /// Sets a value that a person made of those that devices wrote, which are dropped. Otherwise like ``decide(_:for:)``.
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
            // A value that came since was not seen by the person who decided, and must not vanish.
            guard let present, present.seen == conflict.seen,
                let table = tables.first(where: { $0.name == conflict.row.table })
            else { throw UbiquitousDatabaseError.conflictChanged(table: conflict.table, column: conflict.column) }
            // An offer, also if the value is current, or not declared `conflict` here: a value that precedes it in the log unknown to this device
            // stands beside it, and neither replaces it nor is lost.
            try append([RecordChange(conflict.row, .update, edits: [conflict.name: .offer(value)])], groups, state)
            if value != present.current.record {
                try group(statements) {
                    try TableRows(statements: statements, table: table).update(conflict.row.key, [conflict.name: value])
                }
                try groups.seal(at: clock.now())
                try statements.db.notifyChanges(in: Table(conflict.table))
            }
            // A decision keeps what is current, so it follows the edit as a transaction of its own.
            try append([RecordChange(conflict.row, .resolve([conflict.name]))], groups, state)
        }
    }

    /// Stores a transaction that changes nothing in the tables, so that triggers do not notice it.
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

    /// Passes the log with all that this device has committed. Nothing of it is stored.
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
