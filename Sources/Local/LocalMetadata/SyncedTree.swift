package import CloudModel
package import ContainerLog
import GRDB

import struct Foundation.Data

/// The last state agreed between this device and the log, the base of every three-way decision: the table `synced`.
///
/// For an item without a row there, the agreed state is the log's, see ``RemoteTree``. So most items take no row.
package struct SyncedTree: MetadataTable {
    let transaction: MetadataTransaction

    /// Returns an item's agreed state; nil if both agreed on its absence.
    package func item(_ id: ItemID, in container: ContainerID) throws -> CloudItem? {
        let row: SyncedRow? = try fetchOne(SyncedRow.query, [container.value, id.data])
        let item = try row.map(\.item) ?? transaction.remote(in: container).item(id)
        return item?.isDeleted == true ? nil : item
    }

    /// Returns whether a file shows the agreed content. If not, an edit of this device waits to be appended, although
    /// its bytes may be in the cloud already.
    package func showsAgreed(_ file: LocalItem) throws -> Bool {
        guard !file.isEdited else { return false }
        return try item(file.item, in: file.container)?.body.content?.reference == file.content
    }

    /// Stores the agreed state, if it differs from the log.
    package func set(_ item: CloudItem, in container: ContainerID) throws {
        let key = NameKey(bytes: item.name.bytes)
        try run(
            "INSERT OR REPLACE INTO synced (\(CloudItem.selection)) VALUES (\(CloudItem.placeholders))",
            item.values(in: container, key: key))
    }

    package func setAbsent(_ id: ItemID, in container: ContainerID) throws {
        try run("DELETE FROM synced WHERE container = ? AND item = ?", [container.value, id.data])
        try run(SyncedRow.insertAbsent, SyncedRow.absent(id, in: container))
    }

    /// Records both sides' agreement on the log's state.
    package func settle(_ id: ItemID, in container: ContainerID) throws {
        try run("DELETE FROM synced WHERE container = ? AND item = ?", [container.value, id.data])
    }

    /// Returns items with a changed log state, not yet followed by this device.
    package func unsettled(in container: ContainerID, limit: Int) throws -> [ItemID] {
        try Data.fetchAll(
            db.cachedStatement(sql: "SELECT item FROM synced WHERE container = ? LIMIT ?"),
            arguments: [container.value, limit]
        ).map(ItemID.init(data:))
    }
}
