import Basics
import CloudModel
import Cryptography
import Foundation

/// Accounts: their names and quotas, their use of space, the identities of their clouds, sign-in codes and second
/// factors.
///
/// `account.used` is the sum of ``StorageCost`` over the account's rows: a transaction that adds or removes such rows
/// calls ``reserve(_:of:_:)`` before and ``use(_:of:_:)`` after.
package struct AccountStore: NounStore {
    let database: any StorageDatabase
    let time: any TimeSource
    /// The storage of the bytes limited by the accounts' shares.
    let objects: any ChunkObjects

    /// Creates an account. Throws `invalid` for a taken or malformed name.
    package func add(_ name: String, quota: UInt64? = nil) async throws {
        let name = AccountName.stored(name)
        guard AccountName.isValid(name) else {
            throw StorageError(
                .invalid,
                "This is not a valid account name: use 1 to \(AccountName.longest) bytes of letters, digits, punctuation and single spaces."
            )
        }
        let now = now()
        try await database.commit { db in
            guard try Self.account(named: name, db) == nil else {
                throw StorageError(
                    .invalid, "The account \(name) already exists. `account code \(name)` lets one more device in.")
            }
            let folded = AccountName.folded(name)
            let others = try db.rows("SELECT name FROM account").map { try $0["name"] as String }
            if let other = others.first(where: { AccountName.folded($0) == folded }) {
                throw StorageError(.invalid, "There is an account \(other), which differs in case only.")
            }
            try db.execute(
                "INSERT INTO account (name, quota, created, userHandle) VALUES (?, ?, ?, randomblob(16))",
                [name, quota.map { Int64(clamping: $0) }, now])
        }
    }

    /// Returns the account with this name. Throws `notFound` if there is none.
    package func account(named name: String) async throws -> AccountID {
        try await database.read { AccountID(try Self.requireAccount(named: name, $0)) }
    }

    package func setQuota(_ quota: UInt64?, of name: String) async throws {
        try await database.commit { db in
            let account = try Self.requireAccount(named: name, db)
            try db.execute("UPDATE account SET quota = ? WHERE id = ?", [quota.map { Int64(clamping: $0) }, account])
        }
    }

    /// Returns the name of an account; nil if it was removed.
    package func name(of account: AccountID) async throws -> String? {
        try await database.read { db in
            try Self.name(of: account.value, db)
        }
    }

    static func name(of account: Int64, _ db: any StorageTransaction) throws -> String? {
        try db.value(String.self, "SELECT name FROM account WHERE id = ?", [account])
    }

    /// Returns each account's use, in numbers.
    func statistics() async throws -> [ServerStatistics.Account] {
        try await database.read { db in
            try db.rows(
                """
                SELECT id, used, quota,
                    (SELECT COUNT(*) FROM device WHERE account = account.id AND revoked IS NULL) AS devices,
                    (SELECT COUNT(*) FROM container WHERE account = account.id) AS containers,
                    (SELECT CAST(COALESCE(SUM(sequence), 0) AS BIGINT) FROM container WHERE account = account.id) AS entries
                FROM account ORDER BY id
                """
            ).map { row in
                try ServerStatistics.Account(
                    id: row["id"], used: UInt64(clamping: row["used"] as Int64),
                    quota: (row["quota"] as Int64?).map { UInt64(clamping: $0) }, devices: row["devices"],
                    containers: row["containers"], entries: UInt64(clamping: row["entries"] as Int64))
            }
        }
    }

    static func account(named name: String, _ db: any StorageTransaction) throws -> Int64? {
        try db.value(Int64.self, "SELECT id FROM account WHERE name = ?", [AccountName.stored(name)])
    }

    static func requireAccount(named name: String, _ db: any StorageTransaction) throws -> Int64 {
        guard let account = try account(named: name, db) else {
            throw StorageError(
                .notFound, "There is no account \(name). `ubiquity-server account list` lists them.")
        }
        return account
    }

    static func requireAccount(ifNamed name: String?, _ db: any StorageTransaction) throws {
        if let name { _ = try requireAccount(named: name, db) }
    }

    /// Removes an account without contents.
    static func remove(_ account: Int64, _ db: any StorageTransaction) throws {
        try db.execute("DELETE FROM account WHERE id = ?", [account])
    }
}

/// Returns the digest stored in place of a secret.
func hash(_ secret: some Sequence<UInt8>) -> Data { Data(SHA256.hash(Array(secret))) }
