package import CloudModel
import GRDB

import struct Foundation.Data

/// Reads the tree page by page, in the order of the nodes, for checks and queries.
extension LocalTree {
    /// Returns the rows behind `node`, in order.
    package func items(after node: NodeID, limit: Int) throws -> [LocalItem] {
        try fetchAll(
            "SELECT \(LocalItem.selection) FROM local WHERE node > ? ORDER BY node LIMIT ?",
            [Int64(bitPattern: node.value), limit])
    }

    /// Returns the items behind `node` meeting a condition, in the order of their nodes; at most `limit`.
    package func items(after node: NodeID, meeting condition: ItemCondition, limit: Int) throws -> [LocalItem] {
        let condition = RowCondition(condition)
        let values: StatementValues =
            [Int64(bitPattern: node.value)] + condition.values.map(\.argument) + [limit]
        return try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local
            WHERE node > ? AND (\(condition.sql)) ORDER BY node LIMIT ?
            """, values)
    }

    /// Returns the rows behind `node` of files with bytes on this device, in order.
    package func present(after node: NodeID, limit: Int) throws -> [LocalItem] {
        try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local
            WHERE node > ? AND kind = 1 AND presence > 0 AND size > 0 ORDER BY node LIMIT ?
            """, [Int64(bitPattern: node.value), limit])
    }

    /// Returns items with a missing folder, so that no path leads to them.
    package func strandedItems(limit: Int) throws -> [LocalItem] {
        try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local
            WHERE parent NOT IN (1, 2) AND NOT EXISTS (SELECT 1 FROM local above WHERE above.node = local.parent) LIMIT ?
            """, [limit])
    }

    /// Returns a clean file with all bytes of a content.
    package func holder(of digest: Digest) throws -> LocalItem? {
        try fetchOne(
            "SELECT \(LocalItem.selection) FROM local WHERE digest = ? AND presence = 2 AND isEdited = 0 LIMIT 1",
            [digest.data])
    }
}

extension RowCondition.Value {
    fileprivate var argument: any ColumnBindable {
        switch self {
        case .integer(let number): number
        case .bytes(let bytes): Data(bytes)
        }
    }
}
