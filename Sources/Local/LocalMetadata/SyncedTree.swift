package import CloudModel
package import ContainerLog
import GRDB

import struct Foundation.Data

/// What this device and the log agreed on last, the base of every three-way decision: the table `synced`.
///
/// An item without a row there is agreed on as the log has it, see ``RemoteTree``. So most items take no row.
package struct SyncedTree: MetadataTable {
    let transaction: MetadataTransaction

    /// The agreed state of an item; nil when both agreed that there is none.
    package func item(_ id: ItemID, in container: ContainerID) throws -> CloudItem? {
        let row: SyncedRow? = try fetchOne(SyncedRow.query, [container.value, id.data])
        let item = try row.map(\.item) ?? transaction.remote(in: container).item(id)
        return item?.isDeleted == true ? nil : item
    }

    /// Whether a file shows the content that was agreed on. Where it does not, an edit of this device waits to be appended, though its
    /// bytes may be in the cloud already.
    package func showsAgreed(_ file: LocalItem) throws -> Bool {
        guard !file.isEdited else { return false }
        return try item(file.item, in: file.container)?.body.content?.reference == file.content
    }

    /// Says what was agreed on, where that differs from the log.
    package func set(_ item: CloudItem, in container: ContainerID) throws {
        let key = NameKey(bytes: item.name.bytes)
        try run(
            "INSERT OR REPLACE INTO synced (\(CloudItem.selection)) VALUES (\(CloudItem.placeholders))",
            StatementArguments(item.values(in: container, key: key)))
    }

    package func setAbsent(_ id: ItemID, in container: ContainerID) throws {
        try run("DELETE FROM synced WHERE container = ? AND item = ?", [container.value, id.data])
        try run(SyncedRow.insertAbsent, SyncedRow.absent(id, in: container))
    }

    /// Both sides agree on what the log says.
    package func settle(_ id: ItemID, in container: ContainerID) throws {
        try run("DELETE FROM synced WHERE container = ? AND item = ?", [container.value, id.data])
    }

    /// Items where the log has moved on and this device has not followed yet.
    package func unsettled(in container: ContainerID, limit: Int) throws -> [ItemID] {
        try Data.fetchAll(
            db.cachedStatement(sql: "SELECT item FROM synced WHERE container = ? LIMIT ?"),
            arguments: [container.value, limit]
        ).map(ItemID.init(data:))
    }
}
