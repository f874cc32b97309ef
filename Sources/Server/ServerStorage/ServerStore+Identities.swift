import CloudModel
package import CloudProtocol
import GRDB

/// What a cloud is called. After a restore, or once a container was removed, it is called something else, so that every device looks
/// whether it has seen more than there is now, instead of going on beside it.
extension ServerStore {
    /// Whether a request that is meant for `cloud` is meant for this account's, and if it is, whether its name is still that.
    package enum CloudRelation: Hashable, Sendable { case same, renamed, foreign }

    package func relation(of cloud: String, to device: SignedInDevice) async throws -> CloudRelation {
        if cloud == device.cloud { return .same }
        let isFormer = try await database.read { db in
            try Int.fetchOne(
                db, sql: "SELECT 1 FROM formerIdentity WHERE account = ? AND identity = ?",
                arguments: [device.account.value, cloud]) != nil
        }
        return isFormer ? .renamed : .foreign
    }

    /// What the account's cloud is called, and was before.
    package func describeCloud(of account: AccountID) async throws -> CloudDescription {
        let identity = try await cloud(of: account)
        let former = try await database.read { db in
            let names = try String.fetchAll(
                db, sql: "SELECT identity FROM formerIdentity WHERE account = ?", arguments: [account.value])
            let ends = try Row.fetchAll(
                db, sql: "SELECT identity, container, sequence FROM formerEnd WHERE account = ?",
                arguments: [account.value])
            var former = Dictionary(uniqueKeysWithValues: names.map { ($0, [String: UInt64]()) })
            for row in ends {
                former[row["identity"] as String]?[row["container"]] = UInt64(clamping: row["sequence"] as Int64)
            }
            return former
        }
        return CloudDescription(identity: identity, former: former.isEmpty ? nil : former)
    }

    /// Gives the account's cloud another name, the logs being as they are now: what devices saw beyond that is gone.
    static func renameCloud(of account: Int64, to identity: String, _ db: Database) throws {
        let before = try String.fetchOne(
            db, sql: "SELECT identity FROM account WHERE id = ?", arguments: [account])
        guard let before else { return }
        try db.execute(
            sql: "INSERT INTO formerIdentity (account, identity) VALUES (?, ?)", arguments: [account, before])
        try db.execute(
            sql: """
                INSERT INTO formerEnd (account, identity, container, sequence)
                SELECT account, ?, name, sequence FROM container WHERE account = ?
                """, arguments: [before, account])
        // Who comes from further back has seen no more of these logs than is left of them now.
        try db.execute(
            sql: """
                UPDATE formerEnd SET sequence = MIN(sequence, COALESCE((
                    SELECT container.sequence FROM container
                    WHERE container.account = formerEnd.account AND container.name = formerEnd.container), 0))
                WHERE account = ?
                """, arguments: [account])
        try db.execute(
            sql: "UPDATE account SET identity = ? WHERE id = ?", arguments: [identity, account])
    }

    static func randomIdentity() -> String {
        var random = SystemRandomNumberGenerator()
        return ItemID.random(using: &random).description
    }
}
