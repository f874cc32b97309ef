import Basics
import GRDB
import Records

/// The end of sharing on this device.
extension UbiquitousDatabase {
    /// Removes the triggers and the tables of the library from the file, and closes it. The program's tables keep their rows; other devices
    /// and what is in the cloud do not change. Open the file again to attach it to another shared database.
    ///
    /// What is only in the library's tables goes: lost values, rows that stand aside, and values beside the current ones. The other devices
    /// have them.
    ///
    /// - Parameter discardsUnpublished: Whether transactions that ``publish(to:)`` has not written are kept from the other devices for ever.
    /// - Throws: ``UbiquitousDatabaseError/unpublished(path:)`` if there are such transactions and they are not to be discarded;
    ///   ``UbiquitousDatabaseError/stillUsed(by:)`` if a trigger or a view of the program reads the library's tables. Then nothing is changed.
    public func stopSharing(discardsUnpublished: Bool = false) throws {
        try inTransaction { statements in
            let state = try state(statements)
            try CapturedGroups(statements: statements, tables: tables, state: state).seal(at: clock.now())
            let unpublished = try statements.first(
                """
                SELECT 1 FROM _ubq_pending WHERE file IS NULL UNION ALL SELECT 1 FROM _ubq_file WHERE NOT is_written \
                UNION ALL SELECT 1 FROM _ubq_known
                """
            ) { _ in true }
            guard unpublished == nil || discardsUnpublished else {
                throw UbiquitousDatabaseError.unpublished(path: path)
            }
            try Self.removeState(statements)
        }
        try close()
    }

    static func removeState(_ statements: StatementCache) throws {
        let isOwn = "substr(lower(name), 1, \(CaptureTriggers.prefix.utf8.count)) = '\(CaptureTriggers.prefix)'"
        let user = try statements.first(
            """
            SELECT type || ' ' || name FROM sqlite_master WHERE type IN ('trigger', 'view') AND NOT (\(isOwn)) \
            AND instr(lower(sql), '\(CaptureTriggers.prefix)') > 0 ORDER BY name
            """
        ) { String(decoding: $0[0].bytes, as: UTF8.self) }
        if let user { throw UbiquitousDatabaseError.stillUsed(by: user) }
        // Triggers first: a table's indexes and triggers go with it, and those that are on the program's tables do not.
        for type in ["trigger", "table"] {
            let names = try statements.all("SELECT name FROM sqlite_master WHERE type = '\(type)' AND \(isOwn)") {
                String(decoding: $0[0].bytes, as: UTF8.self)
            }
            for name in names { try statements.run("DROP \(type.uppercased()) \(CaptureTriggers.quoted(name))") }
        }
    }
}
