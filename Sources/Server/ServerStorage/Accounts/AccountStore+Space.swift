package import CloudProtocol

/// The share of an account, and what it uses of it.
extension AccountStore {
    /// The free bytes of a place without a limit: a pebibyte, with which every program can still compute.
    private static let unlimited: UInt64 = 1 << 50

    /// Returns the bytes that the account may use in total, and how many of them are free.
    package func space(of account: AccountID) async throws -> SpaceResponse {
        let free = try await objects.freeBytes() ?? Self.unlimited
        return try await database.read { db in
            let usage = try Self.usage(of: account, db)
            let share = usage.quota.map { $0 > usage.used ? $0 - usage.used : 0 } ?? free
            let (total, overflow) = usage.used.addingReportingOverflow(min(share, free))
            return SpaceResponse(total: overflow ? .max : total, free: min(share, free))
        }
    }

    /// Returns what the account uses, and its share: nil if it has none of its own. In bytes.
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
