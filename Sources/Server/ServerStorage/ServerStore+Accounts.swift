import CloudModel
import Crypto
import Foundation
import GRDB

/// An account as its server's owner sees it.
package struct AccountRecord: Hashable, Sendable {
    package let name: String
    /// In bytes; nil: as much as the disk has.
    package let quota: UInt64?
    package let used: UInt64
    /// Devices that are signed in.
    package let devices: Int
}

extension ServerStore {
    /// Makes an account. Throws `invalid` for a name that is taken or can not be one.
    package func addAccount(_ name: String, quota: UInt64? = nil) async throws {
        let isName = (1...64).contains(name.utf8.count) && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isName else {
            throw StorageError(
                .invalid, "\"\(name)\" can not be an account's name: use 1 to 64 visible ASCII characters.")
        }
        let now = now()
        try await database.commit { db in
            guard try Self.account(named: name, db) == nil else {
                throw StorageError(
                    .invalid, "There is an account \(name) already. `account code \(name)` lets one more device in.")
            }
            try db.execute(
                sql: "INSERT INTO account (name, quota, created, userHandle) VALUES (?, ?, ?, randomblob(16))",
                arguments: [name, quota.map { Int64(clamping: $0) }, now])
        }
    }

    /// Throws `notFound` where there is none of that name.
    package func account(named name: String) async throws -> AccountID {
        try await database.read { AccountID(try Self.requireAccount(named: name, $0)) }
    }

    package func setQuota(_ quota: UInt64?, of name: String) async throws {
        try await database.commit { db in
            let account = try Self.requireAccount(named: name, db)
            try db.execute(
                sql: "UPDATE account SET quota = ? WHERE id = ?",
                arguments: [quota.map { Int64(clamping: $0) }, account])
        }
    }

    package func accounts() async throws -> [AccountRecord] {
        try await database.read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT name, quota, used,
                        (SELECT COUNT(*) FROM device WHERE account = account.id AND revoked IS NULL) AS devices
                    FROM account ORDER BY name
                    """)
            return rows.map { row in
                AccountRecord(
                    name: row["name"], quota: (row["quota"] as Int64?).map { UInt64(clamping: $0) },
                    used: UInt64(clamping: row["used"] as Int64), devices: row["devices"])
            }
        }
    }

    static func account(named name: String, _ db: Database) throws -> Int64? {
        try Int64.fetchOne(db, sql: "SELECT id FROM account WHERE name = ?", arguments: [name])
    }

    static func requireAccount(named name: String, _ db: Database) throws -> Int64 {
        guard let account = try account(named: name, db) else {
            throw StorageError(
                .notFound, "There is no account \(name). `ubiquity-server account list` lists them.")
        }
        return account
    }
}

/// What stands for a secret in the database.
func hash(_ secret: some Sequence<UInt8>) -> Data { Data(SHA256.hash(data: Data(secret))) }
