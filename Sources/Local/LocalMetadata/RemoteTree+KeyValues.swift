package import ContainerLog
import GRDB

import struct Basics.Timestamp
import struct Foundation.Data

/// Stores the log's key-value store.
extension RemoteTree {
    package func keyValue(_ key: String) throws -> KeyValueEntry? {
        try transaction.fetchOne(
            "SELECT value, time FROM keyValue WHERE container = ? AND key = ?", [container.value, key])
    }

    package mutating func setKeyValue(_ entry: KeyValueEntry, for key: String) throws {
        try transaction.keyValues.noteShownValue(of: key, in: container)
        try transaction.run(
            "INSERT OR REPLACE INTO keyValue (container, key, value, time) VALUES (?, ?, ?, ?)",
            [container.value, key, entry.value.map { Data($0) }, entry.time.nanoseconds])
    }

    package func keyValueTotals() throws -> KeyValueTotals {
        func number(_ sql: String) throws -> Int {
            Int(try transaction.number("SELECT \(sql) FROM keyValue WHERE container = ?", [container.value]))
        }
        return KeyValueTotals(
            keys: try number("count(value)"), bytes: try number("coalesce(sum(length(value)), 0)"),
            removedKeys: try number("count(*) - count(value)"))
    }

    package mutating func forgetOldestRemovedKey() throws {
        try transaction.run(
            """
            DELETE FROM keyValue WHERE container = ?1 AND key =
              (SELECT key FROM keyValue WHERE container = ?1 AND value IS NULL ORDER BY time, key LIMIT 1)
            """, [container.value])
    }
}

extension KeyValueEntry: ColumnDecodable {
    init(columns: Columns) throws {
        self.init(
            value: columns.optionalData(0).map(Array.init), time: Timestamp(nanoseconds: columns.integer(1)))
    }
}
