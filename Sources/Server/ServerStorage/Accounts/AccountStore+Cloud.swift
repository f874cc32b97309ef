import Basics
package import CloudModel
package import CloudProtocol

/// The identity of an account's cloud. After a restore, or after a container was removed, the cloud gets a new identity, so that every
/// device checks whether it has seen more than the cloud has now, instead of continuing beside it.
extension AccountStore {
    /// The identity of the account's cloud. Throws `noCloud` before ``makeCloud(of:)``.
    package func cloud(of account: AccountID) async throws -> String {
        let identity = try await database.read { db in
            try db.value(String.self, "SELECT identity FROM account WHERE id = ?", [account.value])
        }
        guard let identity else {
            throw StorageError(.noCloud, "This account has no cloud yet; the first device that mounts it creates one.")
        }
        return identity
    }

    /// Makes the account's cloud if there is none.
    ///
    /// - Returns: The cloud's identity.
    package func makeCloud(of account: AccountID) async throws -> String {
        let identity = Self.randomIdentity()
        try await database.commit(of: account) { db in
            try db.execute(
                "UPDATE account SET identity = ? WHERE id = ? AND identity IS NULL", [identity, account.value])
        }
        return try await cloud(of: account)
    }

    /// How the cloud that a request names relates to the account's cloud: the same, the same under a former identity, or another one.
    package enum CloudRelation: Hashable, Sendable { case same, renamed, foreign }

    package func relation(of cloud: String, to device: SignedInDevice) async throws -> CloudRelation {
        if cloud == device.cloud { return .same }
        let isFormer = try await database.read { db in
            try db.exists(
                "SELECT 1 FROM formerIdentity WHERE account = ? AND identity = ?", [device.account.value, cloud])
        }
        return isFormer ? .renamed : .foreign
    }

    /// Returns the present and the former identities of the account's cloud.
    package func describeCloud(of account: AccountID) async throws -> CloudDescription {
        let identity = try await cloud(of: account)
        let former = try await database.read { db in
            let names = try db.values(
                String.self, "SELECT identity FROM formerIdentity WHERE account = ?", [account.value])
            let ends = try db.rows(
                "SELECT identity, container, sequence FROM formerEnd WHERE account = ?", [account.value])
            var former = Dictionary(uniqueKeysWithValues: names.map { ($0, [String: UInt64]()) })
            for row in ends {
                former[try row["identity"]]?[try row["container"]] = UInt64(clamping: try row["sequence"] as Int64)
            }
            return former
        }
        return CloudDescription(identity: identity, former: former.isEmpty ? nil : former)
    }

    /// Gives the account's cloud a new identity while the logs stay as they are: anything that devices saw beyond them is lost.
    static func renameCloud(of account: Int64, to identity: String, _ db: any StorageTransaction) throws {
        let before = try db.value(String.self, "SELECT identity FROM account WHERE id = ?", [account])
        guard let before else { return }
        try db.execute("INSERT INTO formerIdentity (account, identity) VALUES (?, ?)", [account, before])
        try db.execute(
            """
            INSERT INTO formerEnd (account, identity, container, sequence)
            SELECT account, ?, name, sequence FROM container WHERE account = ?
            """, [before, account])
        // A device that comes from an earlier cloud has seen no more of these logs than is left of them now.
        try db.execute(
            """
            UPDATE formerEnd SET sequence = COALESCE((
                SELECT CASE WHEN formerEnd.sequence < container.sequence THEN formerEnd.sequence
                    ELSE container.sequence END
                FROM container
                WHERE container.account = formerEnd.account AND container.name = formerEnd.container), 0)
            WHERE account = ?
            """, [account])
        try db.execute("UPDATE account SET identity = ? WHERE id = ?", [identity, account])
    }

    /// Records that the first entries of another cloud's logs are in this account's logs, so that devices of that cloud continue here.
    /// Replaces what was recorded of that cloud. More entries than a log has are not recorded.
    package func record(
        former identity: String, ends: [ContainerName: UInt64], of account: AccountID
    ) async throws {
        guard (1...CloudLimits.identity).contains(identity.utf8.count),
            identity.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw StorageError(.invalid, "This is not the identity of a cloud.") }
        guard try await cloud(of: account) != identity else {
            throw StorageError(.invalid, "A cloud is not a copy of itself.")
        }
        try await database.commit(of: account) { db in
            let known = try db.value(
                Int64.self, "SELECT COUNT(*) FROM copiedCloud WHERE account = ? AND identity <> ?",
                [account.value, identity])
            guard known ?? 0 < Int64(Self.maximumCopies) else {
                throw StorageError(.invalid, "\(Self.maximumCopies) other clouds were copied into this one already.")
            }
            try db.execute(
                "DELETE FROM formerIdentity WHERE account = ? AND identity = ?", [account.value, identity])
            try db.execute(
                "INSERT INTO formerIdentity (account, identity) VALUES (?, ?)", [account.value, identity])
            try db.execute(
                "INSERT INTO copiedCloud (account, identity) VALUES (?, ?) ON CONFLICT DO NOTHING",
                [account.value, identity])
            for (container, end) in ends {
                try db.execute(
                    """
                    INSERT INTO formerEnd (account, identity, container, sequence)
                    SELECT account, ?1, name, CASE WHEN sequence < ?2 THEN sequence ELSE ?2 END FROM container
                    WHERE account = ?3 AND name = ?4
                    """, [identity, Int64(clamping: end), account.value, container.text])
            }
        }
    }

    /// The clouds that may be copied into one, which bounds what an account stores here.
    private static let maximumCopies = 64

    /// Records that devices which saw a log of that container in an earlier cloud have seen more than there is.
    static func forgetEnd(of container: ContainerName, _ account: Int64, _ db: any StorageTransaction) throws {
        try db.execute(
            "UPDATE formerEnd SET sequence = 0 WHERE account = ? AND container = ?", [account, container.text])
    }

    /// Renames the clouds of all accounts that have one, after a restore.
    static func renameClouds(_ db: any StorageTransaction) throws {
        for account in try db.values(Int64.self, "SELECT id FROM account WHERE identity IS NOT NULL") {
            try renameCloud(of: account, to: randomIdentity(), db)
        }
    }

    /// Returns the accounts by name, each with every identity that its cloud had; none for an account that no device has used. The
    /// identities of clouds that were copied into it do not count: they belong to other servers.
    ///
    /// - Parameters:
    ///   - hasFormer: Whether the database has the table of former identities, which backups of the first versions lack.
    ///   - hasCopies: Whether it has the table of copied clouds.
    static func identities(
        hasFormer: Bool, hasCopies: Bool, _ db: any StorageTransaction
    ) throws -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        for row in try db.rows("SELECT id, name, identity FROM account") {
            let former =
                hasFormer
                ? try db.values(
                    String.self, "SELECT identity FROM formerIdentity WHERE account = ?", [try row["id"] as Int64])
                : []
            let copied =
                hasCopies
                ? try db.values(
                    String.self, "SELECT identity FROM copiedCloud WHERE account = ?", [try row["id"] as Int64])
                : []
            found[try row["name"]] = Set(former).subtracting(copied)
                .union((try row["identity"] as String?).map { [$0] } ?? [])
        }
        return found
    }

    static func randomIdentity() -> String {
        var random = SystemRandomNumberGenerator()
        return ItemID.random(using: &random).description
    }
}
