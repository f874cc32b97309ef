package import Basics
package import CloudModel
import ContainerLog
import GRDB

import struct Foundation.Data

/// The folded logs' superseded contents, in the table `version`, and deletions, in the table `deletion`. Rows are
/// created as entries are folded, so they are the same on each device.
package struct ItemHistory: MetadataTable {
    let transaction: MetadataTransaction

    func insert(_ version: HistoricVersion) throws {
        try db.perform(HistoricVersion.insertion, values: version.values)
        try run(
            """
            DELETE FROM version WHERE container = ?1 AND item = ?2 AND (sequence, changeIndex) IN (
              SELECT sequence, changeIndex FROM version WHERE container = ?1 AND item = ?2
              ORDER BY sequence DESC, changeIndex DESC LIMIT -1 OFFSET \(VersionLimits.most))
            """, [version.container.value, version.item.data])
    }

    /// Returns an item's superseded versions, newest first, without those removed by a user of this device.
    package func versions(
        of item: ItemID, in container: ContainerID, _ limits: VersionLimits, at now: Timestamp
    ) throws -> [HistoricVersion] {
        let oldest = now.adding(.zero - limits.age)
        return try fetchAll(
            """
            SELECT \(HistoricVersion.selection) FROM version AS own WHERE container = ? AND item = ? AND superseded >= ?
              AND NOT EXISTS (SELECT 1 FROM resolution AS gone WHERE gone.container = own.container
                AND gone.item = own.item AND gone.sequence = own.sequence AND gone.changeIndex = own.changeIndex)
            ORDER BY sequence DESC, changeIndex DESC LIMIT ?
            """, [container.value, item.data, oldest.nanoseconds, limits.count])
    }

    package func version(_ version: VersionID, of item: ItemID, in container: ContainerID) throws -> HistoricVersion? {
        try fetchOne(
            """
            SELECT \(HistoricVersion.selection) FROM version
            WHERE container = ? AND item = ? AND sequence = ? AND changeIndex = ?
            """, Self.key(version, item, container))
    }

    /// Returns all versions in an item's history, however old.
    package func allVersions(of item: ItemID, in container: ContainerID) throws -> [HistoricVersion] {
        try fetchAll(
            "SELECT \(HistoricVersion.selection) FROM version WHERE container = ? AND item = ?",
            [container.value, item.data])
    }

    func removeVersions(of item: ItemID, in container: ContainerID) throws {
        try run("DELETE FROM version WHERE container = ? AND item = ?", [container.value, item.data])
    }

    package func removeVersion(_ version: VersionID, of item: ItemID, in container: ContainerID) throws {
        try run(
            "DELETE FROM version WHERE container = ? AND item = ? AND sequence = ? AND changeIndex = ?",
            Self.key(version, item, container))
    }

    /// Removes versions superseded before `time`.
    package func expireVersions(before time: Timestamp) throws {
        try run("DELETE FROM version WHERE superseded < ?", [time.nanoseconds])
    }

    /// Calls `body` with the content of every kept version of a container's documents, including deleted ones.
    package func forEachContent(in container: ContainerID, _ body: (ContentReference) -> Void) throws {
        try db.forEachRow(
            "SELECT DISTINCT digest, size, layout FROM version WHERE container = ?", [container.value]
        ) { columns in
            guard let content = try columns.content(digest: 0, size: columns.count(1), layout: 2) else {
                throw MetadataError.damagedRow("a version without a content")
            }
            body(content)
            return true
        }
    }

    /// Calls `body` with the content of each kept version of a container's documents, and whether its document is deleted.
    package func forEachVersion(
        in container: ContainerID, _ body: (ContentReference, _ isDeleted: Bool) -> Void
    ) throws {
        try db.forEachRow(
            """
            SELECT DISTINCT version.digest, version.size, version.layout, COALESCE(remote.isDeleted, 0) FROM version
            LEFT JOIN remote ON remote.container = version.container AND remote.item = version.item
            WHERE version.container = ?
            """, [container.value]
        ) { columns in
            guard let content = try columns.content(digest: 0, size: columns.count(1), layout: 2) else {
                throw MetadataError.damagedRow("a version without a content")
            }
            body(content, try columns.count(3) != 0)
            return true
        }
    }

    /// Returns the bytes of the superseded versions of a container's documents, kept by the cloud for a while.
    package func versionBytes(of container: ContainerID) throws -> UInt64 {
        UInt64(
            clamping: try number(
                "SELECT CAST(total(size) AS INTEGER) FROM version WHERE container = ?", [container.value]))
    }

    private static func key(_ version: VersionID, _ item: ItemID, _ container: ContainerID) -> StatementValues {
        [container.value, item.data, Int64(bitPattern: version.sequence.value), Int64(version.index)]
    }
}
