package import CloudProtocol

/// An account's share, and its use.
extension AccountStore {
    /// The free bytes of a place without a limit: a pebibyte, still safe for every program's arithmetic.
    private static let unlimited: UInt64 = 1 << 50

    /// Returns the account's total space and its free space, in bytes.
    package func space(of account: AccountID) async throws -> SpaceResponse {
        let free = try await objects.freeBytes() ?? Self.unlimited
        return try await database.read { db in
            let usage = try Self.usage(of: account, db)
            let share = usage.quota.map { $0 > usage.used ? $0 - usage.used : 0 } ?? free
            let (total, overflow) = usage.used.addingReportingOverflow(min(share, free))
            return SpaceResponse(total: overflow ? .max : total, free: min(share, free))
        }
    }

    /// Returns the account's use and share in bytes; the share is nil if the account has no individual share.
    package func use(of account: AccountID) async throws -> (used: UInt64, share: UInt64?) {
        try await database.read { db in
            let usage = try Self.usage(of: account, db)
            return (usage.used, usage.quota)
        }
    }

    static func usage(of account: AccountID, _ db: any StorageTransaction) throws -> AccountUsage {
        let row = try db.row("SELECT quota, used FROM account WHERE id = ?", [account.value])
        guard let row else { throw StorageError(.unauthorized, "This account no longer exists.") }
        return try AccountUsage(row)
    }

    /// Throws `quota` if `bytes` more would exceed the account's share.
    static func reserve(_ bytes: Int, of account: AccountID, _ db: any StorageTransaction) throws {
        try usage(of: account, db).reserve(bytes)
    }

    static func use(_ bytes: Int, of account: AccountID, _ db: any StorageTransaction) throws {
        try db.enqueue(
            "UPDATE account SET used = CASE WHEN used + ?1 > 0 THEN used + ?1 ELSE 0 END WHERE id = ?2",
            [bytes, account.value])
    }
}
