import CloudModel
import ContainerLog
import Foundation
import GRDB

/// Versions given up by items, including those that a person removed for good.
extension FoldedTree {
    /// A row of `dropped`.
    struct DroppedVersion {
        let item: ItemID
        let id: VersionID
        let content: ContentReference
        let time: Int64

        fileprivate var key: StatementArguments {
            [
                item.data, Int64(id.sequence.value), Int64(id.index), Data(content.digest.bytes),
                Int64(content.layout.rawValue), Int64(clamping: content.size),
            ]
        }
    }

    mutating func noteDropped(_ version: NeededContents.Version, of item: ItemID) throws {
        // If an entry's arrival is unknown, its contents are kept forever.
        let dropped = DroppedVersion(
            item: item, id: version.id, content: version.content, time: origin?.arrived ?? .max)
        let known = try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT at FROM dropped
                    WHERE item = ? AND sequence = ? AND position = ? AND digest = ? AND layout = ? AND size = ?
                    """), arguments: dropped.key)
        if let known, known >= dropped.time { return }
        try run("INSERT OR REPLACE INTO dropped VALUES (?, ?, ?, ?, ?, ?, ?)", dropped.key + [dropped.time])
        if let known { droppedSum.remove(version.content, at: known) }
        droppedSum.add(version.content, at: dropped.time)
    }

    /// Returns the versions that the batch removes from the history. A version still in conflict is moved there when it
    /// is resolved.
    func removedVersions(_ batch: ChangeBatch) throws -> [DroppedVersion] {
        try batch.changes.flatMap { change -> [DroppedVersion] in
            guard case .resolve(let named, let versions) = change else { return [] }
            let item = try alias(of: named) ?? named
            return try versions.flatMap { try dropped($0, of: item) }
        }
    }

    private func dropped(_ version: VersionID, of item: ItemID) throws -> [DroppedVersion] {
        try Row.fetchAll(
            db.cachedStatement(sql: "SELECT * FROM dropped WHERE item = ? AND sequence = ? AND position = ?"),
            arguments: [item.data, Int64(clamping: version.sequence.value), Int64(version.index)]
        ).map { DroppedVersion(item: item, id: version, content: try ContentReference(folded: $0), time: $0["at"]) }
    }

    /// Removes the history of an item that was replaced by another.
    mutating func forgetHistory(of item: ItemID) throws {
        for row in try Row.fetchAll(
            db.cachedStatement(sql: "SELECT * FROM dropped WHERE item = ?"), arguments: [item.data])
        {
            droppedSum.remove(try ContentReference(folded: row), at: row["at"])
        }
        try run("DELETE FROM dropped WHERE item = ?", [item.data])
    }

    /// Removes versions, and notes that their contents were removed for good.
    mutating func forget(_ versions: [DroppedVersion]) throws {
        for version in versions {
            try run(
                """
                DELETE FROM dropped
                WHERE item = ? AND sequence = ? AND position = ? AND digest = ? AND layout = ? AND size = ?
                """, version.key)
            guard db.changesCount > 0 else { continue }
            droppedSum.remove(version.content, at: version.time)
            try run(
                """
                INSERT INTO purged VALUES (?, ?, ?, ?)
                ON CONFLICT (digest, layout, size) DO UPDATE SET at = max(at, excluded.at)
                """,
                [
                    Data(version.content.digest.bytes), Int64(version.content.layout.rawValue),
                    Int64(clamping: version.content.size), origin?.arrived ?? 0,
                ])
        }
    }

    /// Removes the deletions of tombstones whose versions the batch removes: no device can restore them any longer.
    func forgetDeletions(_ batch: ChangeBatch) throws {
        for case .resolve(let named, let versions) in batch.changes {
            guard let item = try item(try alias(of: named) ?? named), item.isDeleted, versions.contains(item.version)
            else { continue }
            try run("DELETE FROM deletion WHERE id = ?", [item.id.data])
        }
    }
}
