import GRDB

/// Sums over the tree. They read every row of a container or of the database: for commands, not for loops.
extension LocalTree {
    /// Returns the storage of each item directly in a container's folder.
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

    package func totals() throws -> (items: Int, bytes: UInt64, conflicts: Int) {
        let items = try number("SELECT count(*) FROM local")
        let bytes = try number("SELECT CAST(total(size) AS INTEGER) FROM local")
        let conflicts = try number("SELECT count(*) FROM local WHERE conflictOf IS NOT NULL")
        let packages = try packageConflicts().count { try document(ofVersion: $0) != nil }
        return (Int(items), UInt64(clamping: bytes), Int(conflicts) + packages)
    }
}
