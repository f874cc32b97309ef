package import Basics
package import CloudModel
import ContainerLog
import GRDB

import struct Foundation.Data

/// Records deletions for as long as the items can be restored.
extension ItemHistory {
    func insert(_ deletion: Deletion) throws { try db.perform(Deletion.insertion, values: deletion.values) }

    package func removeDeletion(of item: ItemID, in container: ContainerID) throws {
        try run("DELETE FROM deletion WHERE container = ? AND item = ?", [container.value, item.data])
    }

    /// Removes deletions recorded by this device before `time`. The tombstones stay.
    package func expireDeletions(before time: Timestamp) throws {
        try run("DELETE FROM deletion WHERE noted < ?", [time.nanoseconds])
    }

    /// Returns the item, if it is deleted and its content is known to be in the cloud.
    package func deletedItem(_ id: ItemID, in container: ContainerID) throws -> DeletedItem? {
        let tree = transaction.remote(in: container)
        guard !id.isWellKnown, let cloud = try tree.item(id), try tree.alias(of: id) == nil else { return nil }
        if !cloud.isDeleted {
            guard let departure = try transaction.pending.departure(of: id, in: container),
                try transaction.local.item(id, in: container) == nil,
                !cloud.isAnnounced
            else { return nil }
            return DeletedItem(
                container: container, cloud: cloud, name: departure.name, time: departure.time, device: nil,
                departure: departure)
        }
        guard try transaction.local.item(id, in: container) == nil, try isKept(cloud, in: container) else { return nil }
        let noted: DeletionNote? = try fetchOne(
            "SELECT time, device FROM deletion WHERE container = ? AND item = ?", [container.value, id.data])
        return DeletedItem(
            container: container, cloud: cloud, name: cloud.name, time: noted?.time, device: noted?.device,
            departure: nil)
    }

    /// Returns whether a tombstone can be restored: it was not removed by the user, and a file's bytes are still in the
    /// history.
    private func isKept(_ tombstone: CloudItem, in container: ContainerID) throws -> Bool {
        if tombstone.body.kind == .file {
            guard tombstone.body.content?.reference != nil,
                try version(tombstone.version, of: tombstone.id, in: container) != nil
            else { return false }
        }
        return try !transaction.pending.resolutions(of: tombstone.id, in: container).contains {
            $0.version == tombstone.version
        }
    }

    /// A position in the list of deletions, ordered by time, newest first.
    package struct DeletionCursor: Hashable, Sendable {
        package let time: Timestamp
        package let container: ContainerID
        package let item: ItemID

        package init(time: Timestamp, container: ContainerID, item: ItemID) {
            self.time = time
            self.container = container
            self.item = item
        }
    }

    /// Returns deletions behind `cursor` recorded by this device since `oldest`, newest first; a folder represents
    /// everything deleted with it.
    package func deletions(
        since oldest: Timestamp, after cursor: DeletionCursor?, limit: Int
    ) throws -> [DeletionCursor] {
        let place = cursor ?? DeletionCursor(time: Timestamp(nanoseconds: .max), container: ContainerID(0), item: .root)
        return try fetchAll(
            """
            SELECT time, container, item FROM (
              SELECT own.time AS time, own.container AS container, own.item AS item FROM deletion AS own
              WHERE own.noted >= ?1 AND NOT \(Self.folderWent(parent: "own.parent"))
              UNION ALL
              SELECT own.time, own.container, own.item FROM departed AS own
              JOIN remote ON remote.container = own.container AND remote.item = own.item
              WHERE remote.isDeleted = 0 AND NOT \(Self.folderWent(parent: "remote.parent")))
            WHERE (time, container, item) < (?2, ?3, ?4) ORDER BY time DESC, container DESC, item DESC LIMIT ?5
            """,
            [oldest.nanoseconds, place.time.nanoseconds, place.container.value, place.item.data, limit])
    }

    /// Returns deletions behind `cursor` in the order of their containers and items, whether or not a folder represents
    /// them: those of the log, and those it has not confirmed.
    package func allDeletions(after cursor: DeletionCursor?, limit: Int) throws -> [DeletionCursor] {
        try fetchAll(
            """
            SELECT time, container, item FROM (
              SELECT time, container, item FROM deletion
              UNION ALL
              SELECT own.time, own.container, own.item FROM departed AS own
              JOIN remote ON remote.container = own.container AND remote.item = own.item WHERE remote.isDeleted = 0)
            WHERE (container, item) > (?, ?) ORDER BY container, item LIMIT ?
            """, [cursor?.container.value ?? -1, cursor?.item.data ?? Data(), limit])
    }

    /// Returns SQL for whether the folder of the row `own` was deleted at about the same time.
    private static func folderWent(parent: String) -> String {
        let isNear =
            "above.container = own.container AND above.item = \(parent) AND abs(above.time - own.time) <= \(span)"
        return """
            (EXISTS (SELECT 1 FROM deletion AS above WHERE \(isNear))
             OR EXISTS (SELECT 1 FROM departed AS above WHERE \(isNear)))
            """
    }

    private static var span: Int64 { DeletedItem.span.components.seconds * 1_000_000_000 }

    /// Returns the items deleted with a folder, by name; of several with the same name, the last deleted.
    package func deletedChildren(of folder: DeletedItem) throws -> [DeletedItem] {
        try deletedChildren(of: folder.id, folder.container) { $0.isNear(folder.time) }
    }

    private func deletedChildren(
        of folder: ItemID, _ container: ContainerID, where isWanted: (DeletedItem) -> Bool
    ) throws -> [DeletedItem] {
        let ids = try deletedIDs(in: folder, container)
        var newest: [ItemName: DeletedItem] = [:]
        for child in try ids.compactMap({ try deletedItem($0, in: container) }) where isWanted(child) {
            if let other = newest[child.name], (other.time ?? .zero) >= (child.time ?? .zero) { continue }
            newest[child.name] = child
        }
        return newest.values.sorted { $0.name < $1.name }
    }

    /// Returns the most recent deletions from an existing folder and its subfolders: the last one, and those up to an
    /// hour before it. Reads the rows of everything in the folder.
    package func deletedContents(of folder: LocalItem) throws -> [DeletedItem] {
        var found: [DeletedItem] = []
        try transaction.local.forEach(below: folder) { each in
            guard each.kind == .folder, !each.isExcluded else { return }
            found += try deletedChildren(of: each.item, each.container) { _ in true }
        }
        let last = found.compactMap(\.time).max()
        return found.filter { $0.isNear(last) }
    }

    /// Returns deleted items formerly in that folder, whenever they were deleted.
    private func deletedIDs(in parent: ItemID, _ container: ContainerID) throws -> [ItemID] {
        let key: StatementValues = [container.value, parent.data]
        let noted = try ids("SELECT item FROM deletion WHERE container = ? AND parent = ?", key)
        let departed = try ids(
            """
            SELECT departed.item FROM remote JOIN departed
              ON departed.container = remote.container AND departed.item = remote.item
            WHERE remote.container = ? AND remote.parent = ? AND remote.isDeleted = 0
            """, key)
        return noted + departed
    }

    /// Returns the recorded deletions from a folder.
    package func notedDeletions(from parent: ItemID, in container: ContainerID) throws -> [NotedDeletion] {
        try fetchAll(
            "SELECT item, name, noted, device FROM deletion WHERE container = ? AND parent = ?",
            [container.value, parent.data])
    }

    /// Returns deleted items of that name formerly in that folder, in no order.
    package func deletedItems(
        of name: ItemName, in parent: ItemID, _ container: ContainerID
    ) throws -> [DeletedItem] {
        let noted = try ids(
            "SELECT item FROM deletion WHERE container = ? AND parent = ? AND name = ? LIMIT 1000",
            [container.value, parent.data, name.data])
        let departed = try ids(
            """
            SELECT departed.item FROM departed JOIN remote
              ON remote.container = departed.container AND remote.item = departed.item
            WHERE departed.container = ? AND departed.name = ? AND remote.parent = ? AND remote.isDeleted = 0 LIMIT 1000
            """, [container.value, name.data, parent.data])
        return try (noted + departed).compactMap { try deletedItem($0, in: container) }
    }

    private func ids(_ sql: String, _ values: StatementValues) throws -> [ItemID] {
        var ids: [ItemID] = []
        try db.forEachRow(sql, values) { columns in
            ids.append(try ItemID(data: columns.data(0)))
            return true
        }
        return ids
    }
}

extension DeletedItem {
    fileprivate func isNear(_ other: Timestamp?) -> Bool {
        guard let time, let other else { return true }
        let (difference, overflow) = time.nanoseconds.subtractingReportingOverflow(other.nanoseconds)
        return !overflow && Duration.nanoseconds(difference.magnitude) <= Self.span
    }
}

extension CloudItem {
    fileprivate var isAnnounced: Bool { body.content.map { $0.reference == nil } ?? false }
}

extension ItemHistory.DeletionCursor: ColumnDecodable {
    init(columns: Columns) throws {
        self.init(
            time: Timestamp(nanoseconds: columns.integer(0)), container: ContainerID(columns.integer(1)),
            item: try ItemID(data: columns.data(2)))
    }
}

private struct DeletionNote: ColumnDecodable {
    let time: Timestamp
    let device: String

    init(columns: Columns) throws {
        time = Timestamp(nanoseconds: columns.integer(0))
        device = columns.text(1)
    }
}
