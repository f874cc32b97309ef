package import CloudModel

/// Changes waiting for a user to resume sync.
extension PendingChanges {
    /// Returns whether changes are left, and all of them wait until their items are resumed.
    package func areAllPaused() throws -> Bool {
        guard try hasAny(), try unpausedTotal() == 0 else { return false }
        return try number("SELECT EXISTS (SELECT 1 FROM keyValuePending)") == 0
    }

    /// Returns the names of items with paused changes, oldest change first, and the number of such items.
    package func paused(limit: Int) throws -> (names: [ItemName], count: Int) {
        let condition = """
            pendingSince IS NOT NULL AND (isPaused = 1 OR \(QueueQueries.isPaused("local.parent")))
            """
        let items = try fetchReadable(
            "SELECT \(LocalItem.selection) FROM local WHERE \(condition) ORDER BY pendingSince, node LIMIT ?", [limit]
        ).items
        let count = try number(
            """
            SELECT (SELECT count(*) FROM local WHERE \(condition))
              + (SELECT count(*) FROM departed WHERE isSent = 0 AND \(QueueQueries.isPaused("departed.parent")))
            """)
        return (items.map(\.name), Int(count))
    }
}
