import Basics
import GRDB
import Records

/// Ends sharing on this device.
extension UbiquitousDatabase {
    /// Removes the library's triggers and tables from the file, and closes it. The program's tables keep their rows;
    /// other devices and the cloud do not change. To attach the file to a different shared database, open it again.
    ///
    /// Data kept only in the library's tables is removed: lost values, set-aside rows, and conflicting values. The
    /// other devices still have it.
    ///
    /// - Parameter discardsUnpublished: Whether transactions not yet written by ``publish(to:)`` may be discarded;
    ///   other devices never receive them.
    /// - Throws: ``UbiquitousDatabaseError/unpublished(path:)`` if there are such transactions and they must not be
    ///   discarded; ``UbiquitousDatabaseError/stillUsed(by:)`` if a trigger or a view of the program reads the
    ///   library's tables. Then nothing is changed.
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
        // Triggers first: dropping a table drops its own indexes and triggers, but not those on the program's tables.
        for type in ["trigger", "table"] {
            let names = try statements.all("SELECT name FROM sqlite_master WHERE type = '\(type)' AND \(isOwn)") {
                String(decoding: $0[0].bytes, as: UTF8.self)
            }
            for name in names { try statements.run("DROP \(type.uppercased()) \(CaptureTriggers.quoted(name))") }
        }
    }
}
