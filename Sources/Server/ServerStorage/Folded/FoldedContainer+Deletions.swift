package import Basics
package import CloudModel
package import ContainerLog
import Foundation
import GRDB

/// A deleted item still restorable by devices.
package struct KnownDeletion: Sendable {
    package let item: CloudItem
    /// Its former folders, the outermost first, without the container's root.
    package let folders: [ItemName]
    /// When it was deleted, by the clock of the deleting device.
    package let time: Timestamp
    package let device: String
    /// The number of items deleted together with a folder.
    package let inside: Int
}

/// Deletions. The items of a folder's deletion are determined as on devices: see docs/decisions/0032.
extension FoldedContainer {
    /// An hour, in nanoseconds.
    private static let span: Int64 = 3_600 * 1_000_000_000
    /// The most items of a folder to be counted or restored.
    package static let restoreLimit = 100_000

    /// Returns the deletions since `oldest`, newest first. A folder deleted with its contents is a single deletion.
    package func deletions(since oldest: Timestamp, limit: Int) async throws -> [KnownDeletion] {
        try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT own.id AS id, own.time AS time, own.device AS device FROM deletion AS own
                    JOIN item ON item.id = own.id
                    WHERE own.time >= ? AND item.isDeleted = 1 AND item.layout IS NOT 255 AND NOT EXISTS
                        (SELECT 1 FROM deletion AS above
                         WHERE above.id = own.parent AND abs(above.time - own.time) <= \(Self.span))
                    ORDER BY own.time DESC, own.id LIMIT ?
                    """, arguments: [oldest.nanoseconds, limit])
            let tree = try FoldedTree(db)
            var budget = Self.restoreLimit
            return try rows.compactMap { row in
                guard let item = try Self.items("id = ?", [row["id"] as Data], db).first else { return nil }
                let inside = try Self.deleted(with: item, limit: budget, db).count
                budget -= min(budget, inside)
                return KnownDeletion(
                    item: item, folders: try Self.folders(above: item, tree),
                    time: Timestamp(nanoseconds: row["time"]), device: row["device"], inside: inside)
            }
        }
    }

    /// Returns a deleted item with everything deleted together with it, each item after its folder; empty if it is not
    /// deleted.
    package func deletedTree(_ id: ItemID) async throws -> [ItemID] {
        try await read { db in
            guard try FoldedTree(db).alias(of: id) == nil, let item = try Self.items("id = ?", [id.data], db).first,
                item.isDeleted
            else { return [] }
            return [id] + (try Self.deleted(with: item, limit: Self.restoreLimit, db))
        }
    }

    /// Returns the first of these items, including tombstones, with their attributes: some megabytes, at least one
    /// item.
    package func items(_ ids: ArraySlice<ItemID>, limit: Int) async throws -> [CloudItem] {
        try await read { db in
            let tree = try FoldedTree(db)
            var (items, bytes): ([CloudItem], Int) = ([], 0)
            for id in ids.prefix(limit) where bytes < Self.pageBytes {
                guard let item = try tree.item(id) else { throw damagedTree }
                bytes += item.attributes.extended.reduce(200) { $0 + $1.key.utf8.count + $1.value.count }
                items.append(item)
            }
            return items
        }
    }

    private static let pageBytes = 2 << 20

    private static func deleted(with top: CloudItem, limit: Int, _ db: Database) throws -> [ItemID] {
        var found: [ItemID] = []
        var folders = top.body == .folder ? [top.id] : []
        // Tombstones of a hostile log may form a cycle.
        var seen: Set<ItemID> = [top.id]
        while let folder = folders.popLast(), found.count < limit {
            let rows = try Row.fetchCursor(
                db.cachedStatement(
                    sql: """
                        SELECT own.id AS id, item.name AS name, item.kind AS kind
                        FROM deletion AS own JOIN deletion AS above ON above.id = own.parent
                        JOIN item ON item.id = own.id
                        WHERE own.parent = ? AND abs(above.time - own.time) <= \(span) AND item.isDeleted = 1
                            AND item.layout IS NOT 255
                        ORDER BY own.time DESC, own.id
                        """), arguments: [folder.data])
            // Of several items with the same name, the last deleted.
            var names: Set<Data> = []
            while let row = try rows.next() {
                guard found.count < limit else { break }
                let id = try ItemID(data: row["id"])
                guard names.insert(row["name"]).inserted, seen.insert(id).inserted else { continue }
                found.append(id)
                if row["kind"] as Int64 == Int64(ItemKind.folder.rawValue) { folders.append(id) }
            }
        }
        return found
    }

    private static func folders(above item: CloudItem, _ tree: FoldedTree) throws -> [ItemName] {
        var names: [ItemName] = []
        var next = item.parent
        while next != .root, names.count < 512, let folder = try tree.standing(for: next) {
            names.append(folder.name)
            next = folder.parent
        }
        return names.reversed()
    }
}
