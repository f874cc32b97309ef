package import CloudModel
import ContainerLog
import Foundation
import GRDB

/// A deleted item, with the fields needed for removing it for good.
package struct PurgeableItem: Sendable {
    package let id: ItemID
    /// The deleted version, and the earlier versions.
    package let versions: [VersionID]
    /// The bytes of all versions.
    package let bytes: UInt64
}

/// The parts of a container that a person can remove for good.
extension FoldedContainer {
    /// Returns a page of the log's deleted items as of `seen`, ordered by id.
    package func purgeable(seen: LogSequence, after id: ItemID?, limit: Int) async throws -> [PurgeableItem] {
        try await read { db in
            try Data.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT deletion.id FROM deletion JOIN item ON item.id = deletion.id
                        WHERE item.isDeleted = 1 AND deletion.sequence <= ? AND deletion.id > ?
                        ORDER BY deletion.id LIMIT ?
                        """), arguments: [Int64(clamping: seen.value), id?.data ?? Data(), limit]
            ).compactMap { try Self.purgeable(ItemID(data: $0), db) }
        }
    }

    /// Returns the deleted items among these.
    package func purgeable(_ ids: [ItemID]) async throws -> [PurgeableItem] {
        try await read { db in try ids.compactMap { try Self.purgeable($0, db) } }
    }

    private static func purgeable(_ id: ItemID, _ db: Database) throws -> PurgeableItem? {
        guard !id.isWellKnown, let item = try FoldedTree(db).item(id), item.isDeleted else { return nil }
        let rows = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT sequence, position, size FROM dropped WHERE item = ?"),
            arguments: [id.data])
        let bytes = rows.reduce(UInt64(0)) {
            $0.addingReportingOverflow(UInt64(clamping: $1["size"] as Int64)).partialValue
        }
        return PurgeableItem(
            id: id, versions: Set(rows.map(VersionID.init) + [item.version]).sorted(), bytes: bytes)
    }
}
