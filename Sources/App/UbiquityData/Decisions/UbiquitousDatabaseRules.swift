import Basics
public import GRDB
import Records

/// A program's own rules for concurrent changes.
///
/// Each rule runs on a single device: the author of the last transaction in the log, the same for all. Its decision is
/// an ordinary transaction received by all devices, so they agree even if their programs have different rules or none.
public struct UbiquitousDatabaseRules: Sendable {
    /// Returns a value for a column declared `conflict`; nil leaves the choice to a person. Runs on the device that
    /// wrote the current value.
    public var conflict: (@Sendable (ValueConflict) throws -> DatabaseValue?)?
    /// Handles a set-aside row in a separate transaction: inserts the row again with its key and a different value,
    /// frees the conflicting value, or leaves the row set aside. Runs on the row's creating device, after
    /// each import until the row is back.
    public var asideRow: (@Sendable (AsideRow, Database) throws -> Void)?

    public init(
        conflict: (@Sendable (ValueConflict) throws -> DatabaseValue?)? = nil,
        asideRow: (@Sendable (AsideRow, Database) throws -> Void)? = nil
    ) {
        self.conflict = conflict
        self.asideRow = asideRow
    }
}

extension UbiquitousDatabase {
    /// Maximum number of conflicts and rows per call; the next call continues.
    private static let rulesLimit = 1_000

    /// Applies the program's rules to this device's pending decisions. Call it after an import; an open
    /// ``UbiquitousDatabaseDocument`` does.
    ///
    /// Returns the number of transactions committed. If a rule throws, it changes nothing, and the remaining rules
    /// continue; the first error is thrown at the end.
    @discardableResult
    public func apply(_ rules: UbiquitousDatabaseRules) throws -> Int {
        var count = 0
        var failure: (any Error)?
        func attempt(_ body: () throws -> Bool) {
            do { count += try body() ? 1 : 0 } catch { failure = failure ?? error }
        }
        if let rule = rules.conflict {
            for conflict in try ownConflicts() { attempt { try decide(conflict, by: rule) } }
        }
        if let rule = rules.asideRow {
            for row in try ownAsideRows() { attempt { try changes { try rule(row, $0) } } }
        }
        if let failure { throw failure }
        return count
    }

    private func decide(
        _ conflict: ValueConflict, by rule: @Sendable (ValueConflict) throws -> DatabaseValue?
    ) throws -> Bool {
        guard let value = try rule(conflict) else { return false }
        do { try decide(conflict, value: value) } catch UbiquitousDatabaseError.conflictChanged {
            // A value added since, or pending on this device: the rule runs again when the log has it.
            return false
        }
        return true
    }

    /// Runs a transaction, and returns whether it changed a row.
    private func changes(_ body: (Database) throws -> Void) throws -> Bool {
        try write { db in
            let before = db.totalChangesCount
            try body(db)
            return db.totalChangesCount != before
        }
    }

    // The log alone, without pending transactions: all devices that have read this far see the same.

    private func ownConflicts() throws -> [ValueConflict] {
        try readingLog { try $0.conflicts($1, limit: Self.rulesLimit) }.filter { $0.current.origin.isThisDevice }
    }

    private func ownAsideRows() throws -> [AsideRow] {
        let logged = try readingLog { try $0.asideRows($1, limit: Self.rulesLimit) }.filter(\.origin.isThisDevice)
        guard !logged.isEmpty else { return [] }
        // An earlier call's change to a row is still pending, and would be repeated.
        let present = Set(try asideRows(limit: .max).map { "\($0.table) \($0.key)" })
        return logged.filter { present.contains("\($0.table) \($0.key)") }
    }

    private func readingLog<T>(_ body: (DecisionReader, StoredRecords) throws -> T) throws -> T {
        try reader.read { db in
            let statements = StatementCache(db)
            let origins = try WriteOrigins(statements, device: state(statements).device, name: deviceName)
            let reader = DecisionReader(statements: statements, tables: tables, origins: origins)
            return try body(reader, StoredRecords(statements: statements, now: clock.now()))
        }
    }
}
