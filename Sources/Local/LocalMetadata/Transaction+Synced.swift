package import CloudModel
package import ContainerLog
import GRDB

import struct Foundation.Data

/// What this device and the log agreed on last: the base of every three-way decision.
extension MetadataTransaction {
    /// The agreed state of an item; nil when both agreed that there is none.
    package func synced(_ id: ItemID, in container: ContainerID) throws -> CloudItem? {
        let row: SyncedRow? = try fetchOne(SyncedRow.query, [container.value, id.data])
        let item = try row.map(\.item) ?? RemoteTree(self, container: container).item(id)
        return item?.isDeleted == true ? nil : item
    }

    /// Whether a file shows the content that was agreed on. Where it does not, an edit of this device waits to be appended, though its
    /// bytes may be in the cloud already.
    package func showsAgreed(_ file: LocalItem) throws -> Bool {
        guard !file.isEdited else { return false }
        return try synced(file.item, in: file.container)?.body.content?.reference == file.content
    }

    /// Says what was agreed on, where that differs from the log.
    package func setSynced(_ item: CloudItem, in container: ContainerID) throws {
        let key = NameKey(bytes: item.name.bytes)
        try run(
            "INSERT OR REPLACE INTO synced (\(CloudItem.selection)) VALUES (\(CloudItem.placeholders))",
            StatementArguments(item.values(in: container, key: key)))
    }

    package func setSyncedAbsent(_ id: ItemID, in container: ContainerID) throws {
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

/// A row of `synced`. One that says "both agreed that there is no such item" has other columns that mean nothing.
struct SyncedRow: ColumnDecodable {
    let item: CloudItem?

    init(columns: Columns) throws {
        item = columns.bool(CloudItem.columns.count) ? nil : try CloudItem(columns: columns)
    }

    static let query = "SELECT \(CloudItem.selection), isAbsent FROM synced WHERE container = ? AND item = ?"
    static let insertAbsent =
        """
        INSERT INTO synced (\(CloudItem.selection), isAbsent) VALUES (\(CloudItem.placeholders), 1)
        ON CONFLICT (container, item) DO NOTHING
        """

    static func absent(_ id: ItemID, in container: ContainerID) -> StatementArguments {
        let zero = Data(count: 16)
        return StatementArguments(
            [
                container.value, id.data, zero, Data([UInt8(ascii: "-")]), Data(), 0, 0, 0, 0, nil, nil, 0, nil, 0, 0,
                0, 0, "", true, nil,
            ] as [(any DatabaseValueConvertible)?])
    }
}

/// What status needs of the log's view of an item.
package struct CloudVersion: Sendable, Equatable {
    /// What the present content is; nil for folders, symlinks and announcements.
    package let content: ContentReference?
    package let version: VersionID
    /// Name of the device that the content came from.
    package let device: String
}

extension MetadataTransaction {
    /// The log's view of a local item; nil where the log has none.
    package func cloudItem(_ item: LocalItem) throws -> CloudVersion? {
        guard let cloud = try RemoteTree(self, container: item.container).item(item.item), !cloud.isDeleted else {
            return nil
        }
        return CloudVersion(content: cloud.body.content?.reference, version: cloud.version, device: cloud.authorName)
    }
}

extension MetadataTransaction {
    /// The name of the device that made a conflict version.
    package func author(of sibling: LocalItem) throws -> String? {
        if let package = sibling.packageConflict { return package.device }
        guard let conflict = sibling.conflict else { return nil }
        let document = try RemoteTree(self, container: sibling.container).item(conflict.document)
        return document?.conflicts.first { $0.version == conflict.version }?.authorName
    }
}
