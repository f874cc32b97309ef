import GRDB

/// What an item directly in a container takes, with all that is in it.
package struct AreaStorage: Sendable {
    package let node: NodeID
    package let files: UInt64
    /// Bytes that are whole on this device.
    package let localBytes: UInt64
    /// Bytes that the cloud has, without versions.
    package let cloudBytes: UInt64
    /// Bytes of versions in conflict.
    package let conflictBytes: UInt64
}

extension AreaStorage: ColumnDecodable {
    init(columns: Columns) {
        node = NodeID(columns.unsigned(0))
        files = columns.unsigned(1)
        localBytes = columns.unsigned(2)
        cloudBytes = columns.unsigned(3)
        conflictBytes = columns.unsigned(4)
    }
}

/// Sums over containers. They read every row of a container: for people who ask, not for loops.
extension MetadataTransaction {
    /// What is directly in a container's folder.
    package func storage(below root: NodeID) throws -> [AreaStorage] {
        try fetchAll(
            """
            WITH RECURSIVE below (node, area) AS (
              SELECT node, node FROM local WHERE parent = ?
              UNION
              SELECT local.node, below.area FROM below JOIN local ON local.parent = below.node
            )
            SELECT below.area, CAST(total(kind = 1 AND conflictOf IS NULL) AS INTEGER),
              CAST(total(CASE WHEN kind = 1 AND presence = 2 THEN size ELSE 0 END) AS INTEGER),
              CAST(total(CASE WHEN kind = 1 AND conflictOf IS NULL AND isKnown = 1 AND isEdited = 0
                AND isExcluded = 0 AND digest IS NOT NULL THEN size ELSE 0 END) AS INTEGER),
              CAST(total(CASE WHEN conflictOf IS NOT NULL THEN size ELSE 0 END) AS INTEGER)
            FROM below JOIN local ON local.node = below.node GROUP BY below.area
            """, [Int64(bitPattern: root.value)])
    }

    /// Bytes of the superseded versions of a container's documents that the cloud keeps for a while.
    package func versionBytes(of container: ContainerID) throws -> UInt64 {
        UInt64(
            clamping: try number(
                "SELECT CAST(total(size) AS INTEGER) FROM version WHERE container = ?", [container.value]))
    }
}
