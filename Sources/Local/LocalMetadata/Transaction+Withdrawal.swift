import GRDB

/// Taking back a batch that the log does not have.
extension MetadataTransaction {
    /// Forgets the batch on its way; its changes are appended again, as they are then. Only for a batch of which nothing happened: the log
    /// was read for it and does not have it, or refuses it.
    package func withdrawOutbox(of container: ContainerID) throws {
        try removeOutbox(of: container)
        try run("UPDATE departed SET isSent = 0 WHERE container = ?", [container.value])
        try run("UPDATE resolution SET isSent = 0 WHERE container = ?", [container.value])
        try run("UPDATE keyValuePending SET isSent = 0 WHERE container = ?", [container.value])
    }

    /// How many changes will be appended without further action; those of paused items are not counted.
    package func unpausedPendingTotal() throws -> Int {
        let items = try number(
            """
            SELECT count(*) FROM local
            WHERE pendingSince IS NOT NULL AND isPaused = 0 AND NOT \(QueueQueries.isPaused("local.parent"))
            """)
        let others = try number(
            """
            SELECT (SELECT count(*) FROM departed WHERE isSent = 1 OR NOT \(QueueQueries.isPaused("departed.parent")))
              + (SELECT count(*) FROM resolution)
            """)
        return Int(items + others)
    }

    /// Files with changes that the log has not shown yet and whose bytes count as uploaded.
    package func untold(in container: ContainerID) throws -> [LocalItem] {
        try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local
            WHERE pendingSince IS NOT NULL AND container = ? AND isEdited = 0 AND kind = 1 AND digest IS NOT NULL
            """, [container.value])
    }
}
