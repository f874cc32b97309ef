package import Basics

/// An account as seen by its server's owner: figures, and nothing of its contents.
package struct AccountRecord: Hashable, Sendable {
    package let id: AccountID
    package let name: String
    /// In bytes; nil: limited by the disk only.
    package let quota: UInt64?
    package let used: UInt64
    /// Signed-in devices.
    package let devices: Int
    /// When a device or a browser last made a request, to the minute; nil: never.
    package let seen: Timestamp?
    /// Whether the account manages the others in the console.
    package let isOwner: Bool
    package let isDisabled: Bool

    fileprivate static let query = """
        SELECT id, name, quota, used, isOwner, disabled,
            (SELECT COUNT(*) FROM device WHERE account = account.id AND revoked IS NULL) AS devices,
            (SELECT MAX(seen) FROM device WHERE account = account.id) AS deviceSeen,
            (SELECT MAX(seen) FROM session WHERE account = account.id) AS browserSeen
        FROM account
        """

    fileprivate init(_ row: StorageRow) throws {
        let seen = [try row["deviceSeen"] as Int64?, try row["browserSeen"] as Int64?].compactMap(\.self).max()
        try self.init(
            id: AccountID(row["id"]), name: row["name"], quota: (row["quota"] as Int64?).map { UInt64(clamping: $0) },
            used: UInt64(clamping: row["used"] as Int64), devices: row["devices"],
            seen: seen.map { Timestamp(seconds: $0) }, isOwner: (row["isOwner"] as Int64) > 0,
            isDisabled: (row["disabled"] as Int64?) != nil)
    }

    private init(
        id: AccountID, name: String, quota: UInt64?, used: UInt64, devices: Int, seen: Timestamp?, isOwner: Bool,
        isDisabled: Bool
    ) {
        self.id = id
        self.name = name
        self.quota = quota
        self.used = used
        self.devices = devices
        self.seen = seen
        self.isOwner = isOwner
        self.isDisabled = isDisabled
    }
}

/// Accounts as seen by their server's owner.
extension AccountStore {
    package func list() async throws -> [AccountRecord] {
        try await database.read { db in
            try db.rows("\(AccountRecord.query) ORDER BY name").map { try AccountRecord($0) }
        }
    }

    /// Returns a page of the accounts, ordered by name, and their total number.
    package func page(from offset: Int, limit: Int) async throws -> (accounts: [AccountRecord], total: Int) {
        try await database.read { db in
            let total = try db.value(Int.self, "SELECT COUNT(*) FROM account")
            let rows = try db.rows("\(AccountRecord.query) ORDER BY name LIMIT ? OFFSET ?", [limit, offset])
            return (try rows.map { try AccountRecord($0) }, total ?? 0)
        }
    }

    /// Returns an account; nil if there is none with this number.
    package func record(of account: AccountID) async throws -> AccountRecord? {
        try await database.read { db in
            try db.row("\(AccountRecord.query) WHERE id = ?", [account.value]).map { try AccountRecord($0) }
        }
    }

    /// Sets whether an account manages the others in the console.
    package func setOwner(_ isOwner: Bool, of name: String) async throws {
        try await database.commit { db in
            let account = try Self.requireAccount(named: name, db)
            try db.execute("UPDATE account SET isOwner = ? WHERE id = ?", [isOwner ? 1 : 0, account])
        }
    }

    /// Disables an account, or enables it again. Nothing of it is removed: while it is disabled, its devices, browsers,
    /// codes and links are refused.
    package func setDisabled(_ isDisabled: Bool, of name: String) async throws {
        let now = now()
        try await database.commit { db in
            let account = try Self.requireAccount(named: name, db)
            try db.execute("UPDATE account SET disabled = ? WHERE id = ?", [isDisabled ? now : nil, account])
        }
    }

    /// - Throws: `unauthorized` if the account is disabled.
    static func requireEnabled(_ account: Int64, _ db: any StorageTransaction) throws {
        guard try !db.exists("SELECT 1 FROM account WHERE id = ? AND disabled IS NOT NULL", [account]) else {
            throw disabled
        }
    }

    static let disabled = StorageError(
        .unauthorized, "This account is disabled. The server's owner can enable it again; nothing was removed.")

    static func removeOwners(_ db: any StorageTransaction) throws { try db.execute("UPDATE account SET isOwner = 0") }
}
