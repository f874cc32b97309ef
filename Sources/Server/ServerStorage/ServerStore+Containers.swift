import Basics
package import CloudModel
package import CloudProtocol
import GRDB

extension ServerStore {
    /// The identity of the account's cloud. Throws `noCloud` before ``makeCloud(of:)``.
    package func cloud(of account: AccountID) async throws -> String {
        let identity = try await database.read { db in
            try String.fetchOne(db, sql: "SELECT identity FROM account WHERE id = ?", arguments: [account.value])
        }
        guard let identity else {
            throw StorageError(.noCloud, "This account has no cloud yet; the first device that mounts it makes one.")
        }
        return identity
    }

    /// Makes the account's cloud where there is none.
    ///
    /// - Returns: Its identity.
    package func makeCloud(of account: AccountID) async throws -> String {
        let identity = Self.randomIdentity()
        try await database.commit { db in
            try db.execute(
                sql: "UPDATE account SET identity = ? WHERE id = ? AND identity IS NULL",
                arguments: [identity, account.value])
        }
        return try await cloud(of: account)
    }

    package func containers(of account: AccountID) async throws -> [ContainerName] {
        let names = try await database.read { db in
            try String.fetchAll(
                db, sql: "SELECT name FROM container WHERE account = ? ORDER BY name", arguments: [account.value])
        }
        return names.compactMap { ContainerName($0) }
    }

    /// No error when it is there. At most ``maximumContainers``.
    package func createContainer(_ name: ContainerName, of account: AccountID) async throws {
        try await database.commit { db in
            guard try Self.container(name, account, db) == nil else { return }
            let count = try Int.fetchOne(
                db, sql: "SELECT COUNT(*) FROM container WHERE account = ?", arguments: [account.value])
            guard count ?? 0 < Self.maximumContainers else {
                throw StorageError(
                    .quota, "The account has \(Self.maximumContainers) containers, the most there may be.")
            }
            try db.execute(
                sql: "INSERT INTO container (account, name) VALUES (?, ?)", arguments: [account.value, name.text])
        }
        changes.changed(name, to: 0, of: account)
    }

    /// What one line of the change feed may name.
    package static let maximumContainers = 4_096

    /// Bytes that the account may use in all, and those of them that are free.
    package func space(of account: AccountID) async throws -> SpaceAnswer {
        let free = try await blocking { [directory] in try directory.freeBytes() }
        return try await database.read { db in
            let usage = try Self.usage(of: account, db)
            let share = usage.quota.map { $0 > usage.used ? $0 - usage.used : 0 } ?? free
            let (total, overflow) = usage.used.addingReportingOverflow(min(share, free))
            return SpaceAnswer(total: overflow ? .max : total, free: min(share, free))
        }
    }

    static func usage(of account: AccountID, _ db: Database) throws -> (quota: UInt64?, used: UInt64) {
        let row = try Row.fetchOne(db, sql: "SELECT quota, used FROM account WHERE id = ?", arguments: [account.value])
        guard let row else { throw StorageError(.unauthorized, "This account is gone.") }
        return ((row["quota"] as Int64?).map { UInt64(clamping: $0) }, UInt64(clamping: row["used"] as Int64))
    }

    /// Throws `quota` where so many bytes more are beyond the account's share.
    static func reserve(_ bytes: Int, slack: UInt64 = 0, of account: AccountID, _ db: Database) throws {
        let usage = try usage(of: account, db)
        if let quota = usage.quota, usage.used + UInt64(max(0, bytes)) > quota + slack {
            throw StorageError(
                .quota,
                "The account's share of the server, \(ByteCount(quota)), is used up. Delete something, or ask the server's owner for more."
            )
        }
    }

    static func use(_ bytes: Int, of account: AccountID, _ db: Database) throws {
        try db.execute(
            sql: "UPDATE account SET used = MAX(0, used + ?) WHERE id = ?", arguments: [bytes, account.value])
    }

    /// The number of a container and the end of its log; nil where this account has none of that name.
    static func container(
        _ name: ContainerName, _ account: AccountID, _ db: Database
    ) throws -> (id: Int64, sequence: UInt64)? {
        let row = try Row.fetchOne(
            db, sql: "SELECT id, sequence FROM container WHERE account = ? AND name = ?",
            arguments: [account.value, name.text])
        return row.map { ($0["id"], UInt64(clamping: $0["sequence"] as Int64)) }
    }

    static func requireContainer(
        _ name: ContainerName, _ account: AccountID, _ db: Database
    ) throws -> (id: Int64, sequence: UInt64) {
        guard let container = try container(name, account, db) else {
            throw StorageError(.notFound, "There is no container \(name) in this cloud.")
        }
        return container
    }
}
