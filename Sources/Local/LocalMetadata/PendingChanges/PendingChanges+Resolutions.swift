package import CloudModel
import GRDB

import struct Foundation.Data

/// Stores conflict versions resolved on this device.
extension PendingChanges {
    package func insert(_ resolution: Resolution) throws {
        try run(
            "INSERT OR IGNORE INTO resolution (container, item, sequence, changeIndex) VALUES (?,?,?,?)",
            resolution.key)
    }

    package func unsentResolutions(in container: ContainerID) throws -> [Resolution] {
        try resolutions("container = ? AND isSent = 0", [container.value])
    }

    package func unsentResolutions(of item: ItemID, in container: ContainerID) throws -> [Resolution] {
        try resolutions("container = ? AND item = ? AND isSent = 0", [container.value, item.data])
    }

    package func resolutions(of item: ItemID, in container: ContainerID) throws -> [Resolution] {
        try resolutions("container = ? AND item = ?", [container.value, item.data])
    }

    package func markSent(_ resolution: Resolution) throws {
        try run(
            """
            UPDATE resolution SET isSent = 1
            WHERE container = ? AND item = ? AND sequence = ? AND changeIndex = ?
            """, resolution.key)
    }

    package func removeResolution(_ resolution: Resolution) throws {
        try run(
            "DELETE FROM resolution WHERE container = ? AND item = ? AND sequence = ? AND changeIndex = ?",
            resolution.key)
    }

    private func resolutions(_ condition: String, _ values: StatementValues) throws -> [Resolution] {
        try fetchAll(
            "SELECT container, item, sequence, changeIndex FROM resolution WHERE \(condition)", values)
    }
}

extension Resolution {
    fileprivate var key: StatementValues {
        [
            container.value, item.data, Int64(bitPattern: version.sequence.value), Int64(version.index),
        ]
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
