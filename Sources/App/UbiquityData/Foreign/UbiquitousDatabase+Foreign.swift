import Basics
import GRDB
import GRDBSQLite
import Records

/// Support for processes sharing foreign files.
extension UbiquitousDatabase {
    /// Returns whether any shared table of a database has rows.
    ///
    /// - Parameter tables: Names of existing tables.
    package static func hasRows(path: String, tables: [String]) throws -> Bool {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        return try queue.read { db in
            try tables.contains { table in
                try StatementCache(db).first("SELECT 1 FROM \(CaptureTriggers.quoted(table)) LIMIT 1") { _ in true }
                    ?? false
            }
        }
    }

    /// Moves the write-ahead log's contents into the file, as far as no other program reads or writes, and empties the
    /// log. The file can then be moved or copied without its log, and leaves no log to a file taking its place.
    package func emptyLog() throws {
        try withWriter { db in
            try db.execute(sql: "PRAGMA busy_timeout = 100")
            // The result reports a log in use, which does not matter.
            try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    /// Throws if tables cannot be shared. Does not change the file.
    package static func checkTables(path: String, _ tables: [UbiquitousTable]) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(1)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        _ = try queue.read { try SchemaReader(statements: StatementCache($0)).tables(tables) }
        try queue.close()
    }

    /// Removes the library's triggers and tables from an unopenable file, including data only this device has.
    package static func removeSharing(path: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { try removeState(StatementCache($0)) }
        try queue.close()
    }

    /// Sets a value typed by a person. It is a number if all values written by devices are numbers.
    package func decide(_ conflict: ValueConflict, text: String) throws {
        let values = ([conflict.current] + conflict.others).map(\.value.storage)
        let areNumbers = values.allSatisfy {
            switch $0 {
            case .int64, .double: true
            case .null, .string, .blob: false
            }
        }
        if areNumbers, let number = Int64(text) {
            try decide(conflict, value: number)
        } else if areNumbers, let number = Double(text) {
            try decide(conflict, value: number)
        } else {
            try decide(conflict, value: text)
        }
    }

    /// Restores a file's journal mode from before sharing.
    ///
    /// - Returns: Whether it has that mode now. A file open in another program keeps the current mode.
    package static func restoreJournalMode(path: String, to mode: String) throws -> Bool {
        guard ["delete", "truncate", "persist"].contains(mode) else { return mode == "wal" }
        var configuration = Configuration()
        configuration.busyMode = .timeout(1)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer {
            // The mode was already set, or not.
            try? queue.close()
        }
        return try queue.inDatabase { db in
            try String.fetchOne(db, sql: "PRAGMA journal_mode = \(mode)")?.lowercased() == mode
        }
    }
}

extension Configuration {
    /// Maximum bytes of a value or a row in a file shared for another program.
    private static let maximumLength: Int32 = 64 << 20

    /// Keeps the expressions of a foreign schema from calling functions with effects
    /// (sqlite.org/pragma.html#pragma_trusted_schema), and from computing large values (sqlite.org/limits.html).
    mutating func limitForeignSchema() {
        prepareDatabase { db in
            try db.execute(sql: "PRAGMA trusted_schema = OFF")
            sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, Self.maximumLength)
        }
    }
}
