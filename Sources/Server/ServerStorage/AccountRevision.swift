import Basics

/// Changes whenever an account's list of devices, browsers or links does, whatever its length.
package struct AccountRevision: Hashable, Sendable {
    private let numbers: [Int64]

    /// The number of rows, the highest number, and the sum of their last modification times.
    private static let query = """
        SELECT (SELECT COUNT(*) FROM device WHERE account = ?1) AS devices,
            (SELECT CAST(COALESCE(SUM(seen + COALESCE(revoked, 0) + COALESCE(resetAsked, 0) + COALESCE(suspended, 0)), 0)
                AS BIGINT) FROM device WHERE account = ?1) AS deviceTimes,
            (SELECT COUNT(*) FROM session WHERE account = ?1) AS sessions,
            (SELECT CAST(COALESCE(SUM(id + seen), 0) AS BIGINT) FROM session WHERE account = ?1) AS sessionTimes,
            (SELECT COUNT(*) FROM link JOIN container ON container.id = link.container
                WHERE account = ?1 AND expires > ?2 AND suspended IS NULL) AS links,
            (SELECT COALESCE(MAX(link.id), 0) FROM link JOIN container ON container.id = link.container
                WHERE account = ?1 AND expires > ?2 AND suspended IS NULL) AS lastLink
        """

    fileprivate static func read(of account: AccountID, at now: Int64, _ db: any StorageTransaction) throws -> Self {
        guard let row = try db.row(query, [account.value, now]) else { return Self(numbers: []) }
        return Self(numbers: try (0..<6).map { try row[$0] })
    }
}

extension ServerStore {
    /// Returns the current revision of the account's lists. Reads no rows of them into memory.
    package func revision(of account: AccountID) async throws -> AccountRevision {
        let now = time.now().split.seconds
        return try await database.readOnce { try AccountRevision.read(of: account, at: now, $0) }
    }
}
