import Basics
import CloudModel

/// The identity of an account's cloud.
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

    /// Creates the account's cloud if there is none.
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

    /// Returns the accounts by name, each with its cloud's identity; nil for an account not yet used by a device.
    static func identities(_ db: any StorageTransaction) throws -> [String: String?] {
        var found: [String: String?] = [:]
        for row in try db.rows("SELECT name, identity FROM account") {
            found[try row["name"]] = .some(try row["identity"] as String?)
        }
        return found
    }

    static func randomIdentity() -> String {
        var random = SystemRandomNumberGenerator()
        return ItemID.random(using: &random).description
    }
}
