import CloudModel
import ContainerLog
import GRDB

import struct Foundation.Data

/// Checks rules between tables, beyond the schema; docs/STORAGE.md numbers them.
extension MetadataTransaction {
    /// Returns at most `limit` violations of each rule.
    package func rowProblems(limit: Int) throws -> [RowProblem] {
        try Self.rules.flatMap { rule in
            try Row.fetchAll(db, sql: "\(rule.query) LIMIT \(limit)").map { row in
                RowProblem(
                    kind: rule.kind, node: (row[0] as Int64?).map { NodeID(UInt64(bitPattern: $0)) }, what: rule.what)
            }
        }
    }

    /// Returns rows with impossible values, at most `limit`.
    package func unreadableRows(limit: Int) throws -> [RowProblem] {
        var problems: [RowProblem] = []
        var last = NodeID(0)
        while problems.count < limit {
            let (items, unreadable) = try fetchReadable(
                "SELECT \(LocalItem.selection) FROM local WHERE node > ? ORDER BY node LIMIT 1000",
                [Int64(bitPattern: last.value)])
            problems += unreadable.map {
                RowProblem(kind: .unreadable, node: $0, what: "its row has impossible values")
            }
            guard let end = [items.last?.node, unreadable.last].compactMap(\.self).max() else { break }
            last = end
        }
        return Array(problems.prefix(limit))
    }

    private static let rules: [(kind: RowProblem.Kind, what: String, query: String)] = [
        (
            .strandedItem, "its folder does not exist",
            """
            SELECT node FROM local
            WHERE parent NOT IN (1, 2) AND NOT EXISTS (SELECT 1 FROM local above WHERE above.node = local.parent)
            """
        ),
        (
            .parentIsNoFolder, "its parent is not a folder",
            """
            SELECT node FROM local WHERE parent <> 1
              AND EXISTS (SELECT 1 FROM local above WHERE above.node = local.parent AND above.kind <> 0)
            """
        ),
        (
            .missingContainer, "its container does not exist",
            "SELECT node FROM local WHERE NOT EXISTS (SELECT 1 FROM container WHERE id = local.container)"
        ),
        (
            .unknownToLog, "it is marked as known to the cloud, but the log has no such item",
            """
            SELECT node FROM local WHERE isKnown = 1 AND conflictOf IS NULL AND isExcluded = 0
              AND NOT EXISTS (SELECT 1 FROM remote WHERE remote.container = local.container AND remote.item = local.item)
              AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.container = local.container)
              AND NOT EXISTS (SELECT 1 FROM synced WHERE synced.container = local.container AND synced.item = local.item)
              AND NOT EXISTS (SELECT 1 FROM alias WHERE alias.container = local.container AND alias.item = local.item)
            """
        ),
        (
            .missingContent, "it is unedited and complete, but has no digest",
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
