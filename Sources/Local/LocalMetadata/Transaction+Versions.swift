package import Basics
package import CloudModel
package import ContainerLog
import GRDB

import struct Foundation.Data

/// How long superseded versions are listed.
package struct VersionLimits: Hashable, Sendable {
    /// Of one document, the newest.
    package var count: Int
    /// After something else took their place.
    package var age: Duration

    /// What a database keeps of one document, whatever ``count`` says.
    package static let most = 1_000

    package init(count: Int = 10, age: Duration = .seconds(30 * 86_400)) {
        self.count = count
        self.age = age
    }
}

/// The history of documents: contents that were current once. Rows come with the log; each device has the same ones.
extension MetadataTransaction {
    func insert(_ version: HistoricVersion) throws {
        try db.perform(HistoricVersion.insertion, values: version.values)
        try run(
            """
            DELETE FROM version WHERE container = ?1 AND item = ?2 AND (sequence, changeIndex) IN (
              SELECT sequence, changeIndex FROM version WHERE container = ?1 AND item = ?2
              ORDER BY sequence DESC, changeIndex DESC LIMIT -1 OFFSET \(VersionLimits.most))
            """, [version.container.value, version.item.data])
    }

    /// The superseded versions of an item, the newest first, without those that a user of this device has removed.
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

    package func removeVersion(_ version: VersionID, of item: ItemID, in container: ContainerID) throws {
        try run(
            "DELETE FROM version WHERE container = ? AND item = ? AND sequence = ? AND changeIndex = ?",
            Self.key(version, item, container))
    }

    /// Forgets versions that were superseded before that.
    package func expireVersions(before time: Timestamp) throws {
        try run("DELETE FROM version WHERE superseded < ?", [time.nanoseconds])
    }

    /// Deleted items that had this name in this folder, the one deleted last first. Scans all that the log ever had: slow, for interactive requests only.
    package func deletedItems(named name: ItemName, in parent: ItemID, _ container: ContainerID) throws -> [CloudItem] {
        try fetchAll(
            """
            SELECT \(CloudItem.selection) FROM remote
            WHERE container = ? AND parent = ? AND name = ? AND isDeleted = 1 AND kind = 1
            ORDER BY sequence DESC LIMIT 10
            """, [container.value, parent.data, name.data])
    }

    private static func key(_ version: VersionID, _ item: ItemID, _ container: ContainerID) -> StatementArguments {
        [container.value, item.data, Int64(bitPattern: version.sequence.value), Int64(version.index)]
    }
}
