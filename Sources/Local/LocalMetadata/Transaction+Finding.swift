import CloudModel
import GRDB

import struct Foundation.Data

/// What queries read.
extension MetadataTransaction {
    /// A value for a `?` of SQL.
    package enum QueryArgument: Sendable {
        case integer(Int64)
        case bytes([UInt8])
    }

    /// Items in the order of their nodes, behind `node`, that meet a condition on the table `local`; at most `limit`.
    package func items(
        after node: NodeID, meeting condition: String, _ arguments: [QueryArgument], limit: Int
    ) throws -> [LocalItem] {
        let values: [(any DatabaseValueConvertible)?] =
            [Int64(bitPattern: node.value)] + arguments.map(\.value) + [limit]
        return try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local
            WHERE node > ? AND (\(condition)) ORDER BY node LIMIT ?
            """, StatementArguments(values))
    }

    /// Those of these that exist.
    package func items(_ nodes: [NodeID]) throws -> [NodeID: LocalItem] {
        var found: [NodeID: LocalItem] = [:]
        for node in nodes { found[node] = try item(node) }
        return found
    }
}

extension MetadataTransaction.QueryArgument {
    fileprivate var value: any DatabaseValueConvertible {
        switch self {
        case .integer(let number): number
        case .bytes(let bytes): Data(bytes)
        }
    }
}
