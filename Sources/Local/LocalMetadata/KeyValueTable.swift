package import Basics
import ContainerLog
import GRDB

import struct Foundation.Data

/// Key-value stores as shown on this device, in the tables `keyValue` (the log's values) and `keyValuePending`: a local
/// value overrides the log's until the log shows it.
package struct KeyValueTable: MetadataTable {
    let transaction: MetadataTransaction

    package func value(_ key: String, in container: ContainerID) throws -> [UInt8]? {
        try pendingValue(key, in: container).map(\.value)
            ?? transaction.remote(in: container).keyValue(key)?.value
    }

    private static let shown = """
        SELECT key, value FROM keyValuePending WHERE container = ?1 AND value IS NOT NULL
        UNION ALL
        SELECT key, value FROM keyValue WHERE container = ?1 AND value IS NOT NULL
          AND key NOT IN (SELECT key FROM keyValuePending WHERE container = ?1)
        """

    package func values(in container: ContainerID) throws -> [String: [UInt8]] {
        let pairs: [ShownKeyValue] = try fetchAll(Self.shown, [container.value])
        return Dictionary(pairs.map { ($0.key, $0.value) }) { first, _ in first }
    }

    /// Writes a key on behalf of the user. Throws ``KeyValueRefusal``, without any change, if the key is not allowed or
    /// the store has no room.
    package func set(_ key: String, to value: [UInt8]?, in container: ContainerID, at now: Timestamp) throws {
        guard KeyValueLimits.allows(key: key) else { throw KeyValueRefusal.key }
        let old = try self.value(key, in: container)
        guard old != value else { return }
        let entry = KeyValueEntry(value: value, time: now)
        guard try shownTotals(in: container).allows(entry, replacing: KeyValueEntry(value: old, time: now)) else {
            throw KeyValueRefusal.quota
        }
        // A writer has seen the current value, so the write must be later, regardless of the clock.
        let seen = try [
            pendingValue(key, in: container)?.time,
            transaction.remote(in: container).keyValue(key)?.time,
        ].compactMap(\.self).max()
        let time = max(now.nanoseconds, seen.map { $0.nanoseconds &+ 1 } ?? .min)
        memory.changedStores.insert(container)
        try run(
            """
            INSERT OR REPLACE INTO keyValuePending (container, key, value, time, noted) VALUES (?, ?, ?, ?, ?)
            """, [container.value, key, value.map { Data($0) }, time, now.nanoseconds])
    }

    private func shownTotals(in container: ContainerID) throws -> KeyValueTotals {
        KeyValueTotals(
            keys: Int(try number("SELECT count(*) FROM (\(Self.shown))", [container.value])),
            bytes: Int(try number("SELECT coalesce(sum(length(value)), 0) FROM (\(Self.shown))", [container.value])))
    }

    private func pendingValue(_ key: String, in container: ContainerID) throws -> PendingKeyValue? {
        try fetchOne(
            "SELECT container, key, value, time FROM keyValuePending WHERE container = ? AND key = ?",
            [container.value, key])
    }

    /// Returns values not in the log yet and written before `time`, oldest first.
    package func unsent(
        in container: ContainerID, before time: Timestamp, limit: Int
    ) throws -> [PendingKeyValue] {
        try fetchAll(
            """
            SELECT container, key, value, time FROM keyValuePending
            WHERE isSent = 0 AND noted <= ? AND +container = ? ORDER BY noted, key LIMIT ?
            """, [time.nanoseconds, container.value, limit])
    }

    /// Returns all containers' values not yet shown by the log.
    package func pending() throws -> [PendingKeyValue] {
        try fetchAll("SELECT container, key, value, time FROM keyValuePending ORDER BY container, key")
    }

    /// Returns the log's values of shown containers and then those of ``pending()``, without corrupt rows. A container
    /// removed by the user is not shown.
    func sound() throws -> [PendingKeyValue] {
        func select(_ table: String, _ columns: [String]) throws -> [PendingKeyValue] {
            let seal = RowSeal.expression(columns)
            return try fetchAll(
                "SELECT container, key, value, time FROM \(table) WHERE seal IS \(seal) ORDER BY container, key")
        }
        let shown = try Set(transaction.containers().filter(transaction.local.isShown).map(\.id))
        return try select("keyValue", KeyValueMigration.columns).filter { shown.contains($0.container) }
            + select("keyValuePending", KeyValueMigration.pendingColumns)
    }

    /// Copies a pending value from a second database into this one, to be appended from here.
    package func restore(_ pending: PendingKeyValue, in container: ContainerID, at now: Timestamp) throws {
        try run(
            "INSERT OR REPLACE INTO keyValuePending (container, key, value, time, noted) VALUES (?, ?, ?, ?, ?)",
            [container.value, pending.key, pending.value.map { Data($0) }, pending.time.nanoseconds, now.nanoseconds])
    }

    package func markSent(_ pending: PendingKeyValue) throws {
        try run(
            "UPDATE keyValuePending SET isSent = 1 WHERE container = ? AND key = ? AND time = ?",
            [pending.container.value, pending.key, pending.time.nanoseconds])
    }

    /// Confirms the write of that time, now in the log; a later write is still to be appended.
    package func confirm(_ key: String, in container: ContainerID, time: Timestamp) throws {
        try noteShownValue(of: key, in: container)
        try run(
            "DELETE FROM keyValuePending WHERE container = ? AND key = ? AND time = ?",
            [container.value, key, time.nanoseconds])
    }

    /// Records the shown value of a key before this transaction changes it.
    func noteShownValue(of key: String, in container: ContainerID) throws {
        guard memory.shownValues[container]?[key] == nil else { return }
        memory.shownValues[container, default: [:]][key] = .some(try value(key, in: container))
    }

    /// Returns the keys whose shown values differ from those before this transaction.
    package func changedKeys(in container: ContainerID) throws -> Set<String> {
        var changed: Set<String> = []
        for (key, before) in memory.shownValues[container] ?? [:] where try value(key, in: container) != before {
            changed.insert(key)
        }
        return changed
    }
}

private struct ShownKeyValue: ColumnDecodable {
    let key: String
    let value: [UInt8]

    init(columns: Columns) throws {
        key = columns.text(0)
        value = columns.bytes(1)
    }
}
