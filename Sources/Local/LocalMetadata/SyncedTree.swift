package import CloudModel
package import ContainerLog
import GRDB

import struct Foundation.Data

/// The state that this device and the log agreed on last, the base of every three-way decision: the table `synced`.
///
/// For an item without a row there, the agreed state is the log's, see ``RemoteTree``. So most items take no row.
package struct SyncedTree: MetadataTable {
    let transaction: MetadataTransaction

    /// Returns the agreed state of an item; nil when both agreed that there is none.
    package func item(_ id: ItemID, in container: ContainerID) throws -> CloudItem? {
        let row: SyncedRow? = try fetchOne(SyncedRow.query, [container.value, id.data])
        let item = try row.map(\.item) ?? transaction.remote(in: container).item(id)
        return item?.isDeleted == true ? nil : item
    }

    /// Returns whether a file shows the content that was agreed on. Where it does not, an edit of this device waits to be appended,
    /// although its bytes may be in the cloud already.
    package func showsAgreed(_ file: LocalItem) throws -> Bool {
        guard !file.isEdited else { return false }
        return try item(file.item, in: file.container)?.body.content?.reference == file.content
    }

    /// Stores the agreed state, where it differs from the log.
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

    /// Records that both sides agree on the log's state.
    package func settle(_ id: ItemID, in container: ContainerID) throws {
        try run("DELETE FROM synced WHERE container = ? AND item = ?", [container.value, id.data])
    }

    /// Returns items whose log state has changed and that this device has not followed yet.
    package func unsettled(in container: ContainerID, limit: Int) throws -> [ItemID] {
        try Data.fetchAll(
            db.cachedStatement(sql: "SELECT item FROM synced WHERE container = ? LIMIT ?"),
            arguments: [container.value, limit]
        ).map(ItemID.init(data:))
    }
}
