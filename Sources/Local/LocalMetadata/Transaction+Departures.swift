package import CloudModel
import GRDB

package import struct Basics.Timestamp
import struct Foundation.Data

/// What is to be appended to the log besides the rows of the tree: deletions, resolved conflicts, and the batch on its way.
extension MetadataTransaction {
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
        try fetchAll(
            hasPausedFolders() ? QueueQueries.unsentDeparturesOutsidePauses : QueueQueries.unsentDepartures,
            [time.nanoseconds, container.value, limit])
    }

    /// Unsent deletions of what was in that folder.
    package func unsentDepartures(from parent: NodeID) throws -> [Departure] {
        try departures("parent = ? AND isSent = 0", [Int64(bitPattern: parent.value)])
    }

    package func insert(_ departure: Departure) throws {
        memory.hasDepartures = true
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
        let hasAny = try memory.flag(\.hasDepartures) { try number("SELECT EXISTS (SELECT 1 FROM departed)") != 0 }
        guard hasAny else { return [] }
        return try fetchAll(
            "SELECT container, item, parent, name, kind, time, isSent FROM departed WHERE \(condition)", arguments)
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
        try fetchAll(
            "SELECT container, item, sequence, changeIndex FROM resolution WHERE \(condition)", arguments)
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

extension Resolution {
    fileprivate var key: StatementArguments {
        [
            container.value, item.data, Int64(bitPattern: version.sequence.value), Int64(version.index),
        ]
    }
}

extension Departure: ColumnDecodable {
    init(columns: Columns) throws {
        self.init(
            container: ContainerID(columns.integer(0)), item: try ItemID(data: columns.data(1)),
            parent: NodeID(columns.unsigned(2)), name: try columns.name(3),
            kind: LocalKind(rawValue: UInt8(truncatingIfNeeded: columns.integer(4))) ?? .file,
            time: Timestamp(nanoseconds: columns.integer(5)), isSent: columns.bool(6))
    }
}

extension Resolution: ColumnDecodable {
    init(columns: Columns) throws {
        self.init(
            container: ContainerID(columns.integer(0)), item: try ItemID(data: columns.data(1)),
            version: VersionID(
                sequence: LogSequence(columns.unsigned(2)), index: UInt32(truncatingIfNeeded: columns.integer(3))))
    }
}
