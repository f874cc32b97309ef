import Foundation

/// Protects a backup from being replaced by an earlier state of the same server.
extension BackupDirectory {
    private struct End {
        let container: Int64
        let name: String
        let account: String
        let sequence: Int64
        let digest: Data
    }

    /// Refuses to replace a backup with data that lacks some of its entries because the server's database went back.
    /// Containers removed meanwhile do not count: their numbers are never reused.
    ///
    /// - Parameter copied: The database to replace that of the backup.
    /// - Throws: `diverged`.
    func requireHistory(in copied: SQLiteFile) throws {
        guard fileSize(database) != nil else { return }
        let file = try SQLiteFile(path: database)
        defer { try? file.close() }  // The connection ends with its last reference in any case.
        try file.read { earlier in
            try copied.read { db in
                try earlier.forEachRow(
                    """
                    SELECT container.id, container.name, account.name, entry.sequence, entry.digest FROM container
                    JOIN account ON account.id = container.account
                    JOIN entry ON entry.container = container.id AND entry.sequence = container.sequence
                    """, []
                ) { row in
                    let end = try End(
                        container: row[0], name: row[1], account: row[2], sequence: row[3], digest: row[4])
                    guard try has(end, db) else { throw Self.newer(end, at: path) }
                    return true
                }
            }
        }
    }

    /// Whether a database has an entry and all before it, or lacks its container.
    private func has(_ end: End, _ db: any StorageTransaction) throws -> Bool {
        guard try db.exists("SELECT 1 FROM container WHERE id = ?", [end.container]) else { return true }
        let digest = try db.value(
            Data.self, "SELECT digest FROM entry WHERE container = ? AND sequence = ?", [end.container, end.sequence])
        return digest == end.digest
    }

    private static func newer(_ end: End, at path: String) -> StorageError {
        StorageError(
            .diverged,
            """
            \(path) has a backup with entries of \(end.account)/\(end.name), up to \(end.sequence), that this server does not have: its \
            database went back to an earlier state. Restore that backup into a new directory, back up to another directory, or pass \
            --force to replace it.
            """)
    }
}
