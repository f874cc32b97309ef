package import CloudModel
package import ContainerLog
import Foundation
import GRDB

/// An item below a folder, with the fields needed by a deletion.
package struct StoredDescendant: Hashable, Sendable {
    package let id: ItemID
    /// When it was last changed.
    package let sequence: LogSequence
    package let content: Digest?
    /// The number of its conflict versions.
    package let conflicts: Int
}

extension StoredDescendant {
    package init(_ item: CloudItem) {
        self.init(
            id: item.id, sequence: item.version.sequence, content: item.body.content?.reference?.digest,
            conflicts: item.conflicts.count)
    }
}

/// A position in a walk through a folder, with each item after its contents. Only the folders leading to it are in
/// memory, and a part of their contents.
package struct DescendantWalk: Sendable {
    fileprivate struct Frame: Sendable {
        let folder: ItemID
        /// The folder itself, as the last item; nil for the folder at which the walk began.
        let item: StoredDescendant?
        var after = (key: Data(), id: Data())
        var isRead = false
        /// Folders already read, to be visited next.
        var folders: [StoredDescendant] = []
    }

    fileprivate var stack: [Frame]

    package init(below folder: ItemID) { stack = [Frame(folder: folder, item: nil)] }

    /// Begins a walk through these items of a folder, each after its contents.
    package init(through items: [StoredDescendant]) {
        stack = [Frame(folder: .root, item: nil, isRead: true, folders: items.reversed())]
    }
}

extension FoldedContainer {
    /// Returns the number of items below a folder.
    package func descendantCount(of folder: ItemID) async throws -> Int {
        try await read { db in
            try Int.fetchOne(
                db,
                sql: """
                    WITH RECURSIVE below (id) AS (
                        SELECT id FROM item WHERE parent = ? AND isDeleted = 0
                        UNION ALL
                        SELECT item.id FROM item JOIN below ON item.parent = below.id WHERE isDeleted = 0
                    )
                    SELECT COUNT(*) FROM below
                    """, arguments: [folder.data]) ?? 0
        }
    }

    /// Returns the next items of a walk, slightly more than `limit` at most, and where it continues; none at its end.
    package func next(
        of walk: DescendantWalk, limit: Int
    ) async throws -> (items: [StoredDescendant], walk: DescendantWalk) {
        try await read { db in
            var (walk, found): (DescendantWalk, [StoredDescendant]) = (walk, [])
            while found.count < limit, var frame = walk.stack.popLast() {
                if let folder = frame.folders.popLast() {
                    walk.stack.append(frame)
                    walk.stack.append(DescendantWalk.Frame(folder: folder.id, item: folder))
                } else if frame.isRead {
                    if let item = frame.item { found.append(item) }
                } else {
                    found += try Self.read(&frame, db)
                    walk.stack.append(frame)
                }
            }
            return (found, walk)
        }
    }

    private static let step = 256

    /// Reads a part of a folder's contents, and returns the items other than folders.
    private static func read(_ frame: inout DescendantWalk.Frame, _ db: Database) throws -> [StoredDescendant] {
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id, nameKey, kind, sequence, digest, conflicts FROM item
                    WHERE parent = ? AND isDeleted = 0 AND (nameKey, id) > (?, ?) ORDER BY nameKey, id LIMIT \(step)
                    """), arguments: [frame.folder.data, frame.after.key, frame.after.id])
        frame.isRead = rows.count < step
        if let last = rows.last { frame.after = (last["nameKey"], last["id"]) }
        var others: [StoredDescendant] = []
        for row in rows {
            let item = StoredDescendant(
                id: try ItemID(data: row["id"]),
                sequence: LogSequence(UInt64(clamping: row["sequence"] as Int64)),
                content: (row["digest"] as Data?).flatMap { Digest($0) }, conflicts: row["conflicts"])
            if row["kind"] as Int64 == Int64(ItemKind.folder.rawValue) {
                frame.folders.append(item)
            } else {
                others.append(item)
            }
        }
        return others
    }

    /// Returns the conflict versions of an item that follow `version`, oldest first.
    package func conflictVersions(
        of item: ItemID, after version: VersionID?, limit: Int
    ) async throws -> [VersionID] {
        try await read { db in
            try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT sequence, position FROM conflict WHERE item = ? AND (sequence, position) > (?, ?)
                        ORDER BY sequence, position LIMIT ?
                        """),
                arguments: [
                    item.data, version.map { Int64(clamping: $0.sequence.value) } ?? -1,
                    version.map { Int64($0.index) } ?? -1, limit,
                ]
            ).map(VersionID.init)
        }
    }
}
