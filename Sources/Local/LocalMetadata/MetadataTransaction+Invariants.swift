package import CloudModel
package import ContainerLog
import GRDB

import struct Foundation.Data

/// Rules between tables that the schema can not state; docs/STORAGE.md numbers them.
extension MetadataTransaction {
    /// At most `limit` violations of each rule.
    package func rowProblems(limit: Int) throws -> [RowProblem] {
        try Self.rules.flatMap { rule in
            try Row.fetchAll(db, sql: "\(rule.query) LIMIT \(limit)").map { row in
                RowProblem(
                    kind: rule.kind, node: (row[0] as Int64?).map { NodeID(UInt64(bitPattern: $0)) }, what: rule.what)
            }
        }
    }

    /// Rows that hold what no item can have, at most `limit`.
    package func unreadableRows(limit: Int) throws -> [RowProblem] {
        var problems: [RowProblem] = []
        var last = NodeID(0)
        while problems.count < limit {
            let (items, unreadable) = try fetchReadable(
                "SELECT \(LocalItem.selection) FROM local WHERE node > ? ORDER BY node LIMIT 1000",
                [Int64(bitPattern: last.value)])
            problems += unreadable.map {
                RowProblem(kind: .unreadable, node: $0, what: "its row holds what no item can have")
            }
            guard let end = [items.last?.node, unreadable.last].compactMap(\.self).max() else { break }
            last = end
        }
        return Array(problems.prefix(limit))
    }

    /// Nodes whose folder is not there: no path leads to them.
    package func strandedItems(limit: Int) throws -> [LocalItem] {
        try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local
            WHERE parent NOT IN (1, 2) AND NOT EXISTS (SELECT 1 FROM local above WHERE above.node = local.parent) LIMIT ?
            """, [limit])
    }

    private static let rules: [(kind: RowProblem.Kind, what: String, query: String)] = [
        (
            .strandedItem, "it is in a folder that is not there",
            """
            SELECT node FROM local
            WHERE parent NOT IN (1, 2) AND NOT EXISTS (SELECT 1 FROM local above WHERE above.node = local.parent)
            """
        ),
        (
            .parentIsNoFolder, "what it is in is no folder",
            """
            SELECT node FROM local WHERE parent <> 1
              AND EXISTS (SELECT 1 FROM local above WHERE above.node = local.parent AND above.kind <> 0)
            """
        ),
        (
            .missingContainer, "its container is not there",
            "SELECT node FROM local WHERE NOT EXISTS (SELECT 1 FROM container WHERE id = local.container)"
        ),
        (
            .unknownToLog, "it counts as known to the cloud, and the log has no such item",
            """
            SELECT node FROM local WHERE isKnown = 1 AND conflictOf IS NULL AND isExcluded = 0
              AND NOT EXISTS (SELECT 1 FROM remote WHERE remote.container = local.container AND remote.item = local.item)
              AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.container = local.container)
              AND NOT EXISTS (SELECT 1 FROM synced WHERE synced.container = local.container AND synced.item = local.item)
              AND NOT EXISTS (SELECT 1 FROM alias WHERE alias.container = local.container AND alias.item = local.item)
            """
        ),
        (
            .missingContent, "it is clean and all here, and nothing says what its bytes should be",
            """
            SELECT node FROM local WHERE kind = 1 AND presence = 2 AND size > 0
              AND isEdited = 0 AND isWriting = 0 AND digest IS NULL
            """
        ),
        (
            .missingContainerFolder, "a container has no folder",
            "SELECT NULL FROM container WHERE NOT EXISTS (SELECT 1 FROM local WHERE local.node = container.node)"
        ),
    ]
}

/// What a check goes through, page by page.
extension MetadataTransaction {
    /// Rows behind `node`, in order.
    package func items(after node: NodeID, limit: Int) throws -> [LocalItem] {
        try fetchAll(
            "SELECT \(LocalItem.selection) FROM local WHERE node > ? ORDER BY node LIMIT ?",
            [Int64(bitPattern: node.value), limit])
    }

    /// Rows behind `node` of files with bytes here, in order.
    package func present(after node: NodeID, limit: Int) throws -> [LocalItem] {
        try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local
            WHERE node > ? AND kind = 1 AND presence > 0 AND size > 0 ORDER BY node LIMIT ?
            """, [Int64(bitPattern: node.value), limit])
    }

    /// The log's live items of a container behind `item`, in order.
    package func cloudItems(in container: ContainerID, after item: ItemID?, limit: Int) throws -> [CloudItem] {
        try fetchAll(
            """
            SELECT \(CloudItem.selection) FROM remote
            WHERE container = ? AND item > ? AND isDeleted = 0 ORDER BY item LIMIT ?
            """, [container.value, item?.data ?? Data(), limit])
    }

    /// A clean file that has all bytes of a content.
    package func holder(of digest: Digest) throws -> LocalItem? {
        try fetchOne(
            "SELECT \(LocalItem.selection) FROM local WHERE digest = ? AND presence = 2 AND isEdited = 0 LIMIT 1",
            [digest.data])
    }

    /// Items whose present content came with an entry of the log.
    package func items(from sequence: LogSequence, in container: ContainerID, limit: Int) throws -> [LocalItem] {
        try Data.fetchAll(
            db, sql: "SELECT item FROM remote WHERE container = ? AND sequence = ? LIMIT ?",
            arguments: [container.value, Int64(bitPattern: sequence.value), limit]
        ).compactMap { try item(ItemID(data: $0), in: container) }
    }
}
