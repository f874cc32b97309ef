package import Basics
package import CloudModel
import GRDB

import struct Foundation.Data

/// What is to be done, found by index: nothing here scans the tree.
extension MetadataTransaction {
    /// Items with changes that the cloud has not been told, made before `time`, oldest first.
    package func pending(before time: Timestamp, limit: Int) throws -> [LocalItem] {
        try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local
            WHERE pendingSince IS NOT NULL AND pendingSince <= ? ORDER BY pendingSince, node LIMIT ?
            """, [time.nanoseconds, limit])
    }

    /// When the oldest local change was made that the cloud has not been told; ``Timestamp/zero`` if one must not wait to settle.
    package func oldestPending() throws -> Timestamp? {
        let item = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT min(pendingSince) FROM local WHERE pendingSince IS NOT NULL"))
        let departure = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT min(time) FROM departed WHERE isSent = 0"))
        let resolution = try number("SELECT count(*) FROM resolution WHERE isSent = 0") > 0 ? Int64(0) : nil
        return [item, departure, resolution].compactMap(\.self).min().map(Timestamp.init(nanoseconds:))
    }

    /// Whether there is anything that the cloud has not been told and confirmed; far cheaper than ``pendingTotals()``.
    package func isAnythingPending() throws -> Bool {
        try number(
            """
            SELECT EXISTS (SELECT 1 FROM local WHERE pendingSince IS NOT NULL)
              OR EXISTS (SELECT 1 FROM departed) OR EXISTS (SELECT 1 FROM resolution)
            """) != 0
    }

    /// Number of items with unsent changes, and the bytes that are to be uploaded for them.
    package func pendingTotals() throws -> (items: Int, bytes: UInt64) {
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT count(*), coalesce(sum(CASE WHEN isEdited THEN size ELSE 0 END), 0)
                    FROM local WHERE pendingSince IS NOT NULL
                    """))
        let departures = try number("SELECT count(*) FROM departed") + number("SELECT count(*) FROM resolution")
        return (Int((row?[0] as Int64?) ?? 0) + Int(departures), UInt64((row?[1] as Int64?) ?? 0))
    }

    /// Files whose download was asked for, most urgent first.
    package func wanted(limit: Int) throws -> [LocalItem] {
        try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local
            WHERE wanted > 0 ORDER BY wanted DESC, node LIMIT ?
            """, [limit])
    }

    package func wantedTotal() throws -> Int { Int(try number("SELECT count(*) FROM local WHERE wanted > 0")) }

    /// Files that were open for writing when the process ended.
    package func writing() throws -> [LocalItem] {
        try fetchAll("SELECT \(LocalItem.selection) FROM local WHERE isWriting = 1", [])
    }

    /// Clean, unpinned files with bytes here, least recently used first.
    package func evictable(limit: Int, offset: Int = 0) throws -> [LocalItem] {
        try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local
            WHERE presence > 0 AND size > 0 AND isEdited = 0 AND isWriting = 0 AND digest IS NOT NULL
              AND pendingSince IS NULL AND isKnown = 1 AND isExcluded = 0 AND pin <> 3
            ORDER BY used LIMIT ? OFFSET ?
            """, [limit, offset])
    }

    /// Bytes of all files that are whole or partly here.
    package func presentBytes() throws -> UInt64 {
        UInt64(try number("SELECT coalesce(sum(size), 0) FROM local WHERE presence > 0 AND size > 0"))
    }

    /// Notes when these files were last opened.
    package func setUsed(_ times: [NodeID: Timestamp]) throws {
        for (node, time) in times {
            try run(
                "UPDATE local SET used = ? WHERE node = ?", [time.nanoseconds, Int64(bitPattern: node.value)])
        }
    }

    // MARK: Departures

    package func departure(of item: ItemID, in container: ContainerID) throws -> Departure? {
        try departures("container = ? AND item = ?", [container.value, item.data]).first
    }

    /// An unsent deletion of that name in that folder.
    package func departure(named name: ItemName, in parent: NodeID) throws -> Departure? {
        try departures(
            "parent = ? AND name = ? AND isSent = 0", [Int64(bitPattern: parent.value), name.data]
        ).first
    }

    package func unsentDepartures(in container: ContainerID, before time: Timestamp, limit: Int) throws -> [Departure] {
        try departures(
            "container = ? AND isSent = 0 AND time <= ? ORDER BY time LIMIT ?",
            [container.value, time.nanoseconds, limit])
    }

    package func insert(_ departure: Departure) throws {
        try run(
            "INSERT OR REPLACE INTO departed (container, item, parent, name, kind, time, isSent) VALUES (?,?,?,?,?,?,?)",
            [
                departure.container.value, departure.item.data, Int64(bitPattern: departure.parent.value),
                departure.name.data, Int64(departure.kind.rawValue), departure.time.nanoseconds, departure.isSent,
            ])
    }

    package func removeDeparture(of item: ItemID, in container: ContainerID) throws {
        try run("DELETE FROM departed WHERE container = ? AND item = ?", [container.value, item.data])
    }

    private func departures(_ condition: String, _ arguments: StatementArguments) throws -> [Departure] {
        var found: [Departure] = []
        try db.forEachRow(
            "SELECT container, item, parent, name, kind, time, isSent FROM departed WHERE \(condition)", arguments
        ) { row in
            found.append(try Departure(row: row))
            return true
        }
        return found
    }

    // MARK: Resolutions of conflicts

    package func insert(_ resolution: Resolution) throws {
        try run(
            "INSERT OR IGNORE INTO resolution (container, item, sequence, changeIndex) VALUES (?,?,?,?)",
            resolution.key)
    }

    package func unsentResolutions(in container: ContainerID) throws -> [Resolution] {
        try resolutions("container = ? AND isSent = 0", [container.value])
    }

    package func resolutions(of item: ItemID, in container: ContainerID) throws -> [Resolution] {
        try resolutions("container = ? AND item = ?", [container.value, item.data])
    }

    package func removeResolution(_ resolution: Resolution) throws {
        try run(
            "DELETE FROM resolution WHERE container = ? AND item = ? AND sequence = ? AND changeIndex = ?",
            resolution.key)
    }

    private func resolutions(_ condition: String, _ arguments: StatementArguments) throws -> [Resolution] {
        let rows = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT container, item, sequence, changeIndex FROM resolution WHERE \(condition)"),
            arguments: arguments)
        return try rows.map { row in
            Resolution(
                container: ContainerID(row[0]), item: try ItemID(row: row, 1),
                version: VersionID(
                    sequence: LogSequence(UInt64(bitPattern: row[2])),
                    index: UInt32(truncatingIfNeeded: row[3] as Int64)))
        }
    }

    // MARK: The batch on its way

    /// The batch of a container that was made and not yet seen in its log.
    package func outbox(of container: ContainerID) throws -> (deviceSequence: UInt64, payload: [UInt8])? {
        let row = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT deviceSequence, payload FROM outbox WHERE container = ?"),
            arguments: [container.value])
        return row.map { (UInt64(bitPattern: $0[0]), Array($0[1] as Data)) }
    }

    /// Keeps the batch until the log shows it, and marks what it holds as sent.
    package func setOutbox(_ payload: [UInt8], deviceSequence: UInt64, of container: ContainerID) throws {
        try run(
            "INSERT INTO outbox (container, deviceSequence, payload) VALUES (?,?,?)",
            [container.value, Int64(bitPattern: deviceSequence), Data(payload)])
    }

    package func markSent(_ departure: Departure) throws {
        try run(
            "UPDATE departed SET isSent = 1 WHERE container = ? AND item = ?",
            [departure.container.value, departure.item.data])
    }

    package func markSent(_ resolution: Resolution) throws {
        try run(
            """
            UPDATE resolution SET isSent = 1
            WHERE container = ? AND item = ? AND sequence = ? AND changeIndex = ?
            """, resolution.key)
    }

    package func removeOutbox(of container: ContainerID) throws {
        try run("DELETE FROM outbox WHERE container = ?", [container.value])
    }
}

extension Departure {
    fileprivate init(row: Columns) throws {
        self.init(
            container: ContainerID(row[0]), item: try ItemID(row: row, 1),
            parent: NodeID(UInt64(bitPattern: row[2])), name: try ItemName(row: row, 3),
            kind: LocalKind(rawValue: UInt8(truncatingIfNeeded: row[4] as Int64)) ?? .file,
            time: Timestamp(nanoseconds: row[5]), isSent: row[6])
    }
}

extension Resolution {
    fileprivate var key: StatementArguments {
        [
            container.value, item.data, Int64(bitPattern: version.sequence.value), Int64(version.index),
        ]
    }
}

extension MetadataTransaction {
    /// Items of a container with something to tell whose bytes, if they need any, are in the cloud; oldest change first, those
    /// behind `last`.
    package func ready(
        in container: ContainerID, before time: Timestamp, after last: LocalItem? = nil, limit: Int
    ) throws -> [LocalItem] {
        try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local
            WHERE pendingSince IS NOT NULL AND (pendingSince, node) > (?, ?) AND pendingSince <= ?
              AND container = ? AND isEdited = 0 AND isPaused = 0
            ORDER BY pendingSince, node LIMIT ?
            """,
            [
                last?.pendingSince?.nanoseconds ?? .min, Int64(bitPattern: last?.node.value ?? 0), time.nanoseconds,
                container.value, limit,
            ])
    }

    /// Edited files that have settled, oldest edit first.
    package func uploadable(
        before time: Timestamp, sizes: ClosedRange<UInt64>, limit: Int
    ) throws -> [LocalItem] {
        try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local
            WHERE pendingSince IS NOT NULL AND pendingSince <= ? AND isEdited = 1 AND isPaused = 0
              AND size BETWEEN ? AND ?
            ORDER BY pendingSince, node LIMIT ?
            """, [time.nanoseconds, Int64(clamping: sizes.lowerBound), Int64(clamping: sizes.upperBound), limit])
    }
}

extension MetadataTransaction {
    /// Items whose last transfer failed, the newest first.
    package func failed(limit: Int) throws -> [LocalItem] {
        try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local
            WHERE uploadError IS NOT NULL OR downloadError IS NOT NULL ORDER BY node DESC LIMIT ?
            """, [limit])
    }
}
