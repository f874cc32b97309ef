package import Basics
import Foundation

/// A passkey as seen by its account.
package struct PasskeyRecord: Hashable, Sendable {
    package let id: Int64
    package let account: String
    package let name: String
    package let created: Timestamp
    package let used: Timestamp?
}

/// Passkeys of accounts, for the console.
extension SessionStore {
    /// More than a person's devices.
    static let maximumPasskeys = 32

    /// Returns the name of the account in passkeys: random bytes, unrelated to its real name (WebAuthn Level 2,
    /// 14.6.1).
    package func userHandle(of account: AccountID) async throws -> [UInt8] {
        try await database.read { db in
            let handle = try db.value(Data.self, "SELECT userHandle FROM account WHERE id = ?", [account.value])
            return handle.map(Array.init) ?? []
        }
    }

    /// Stores a registered passkey.
    ///
    /// - Parameters:
    ///   - challenge: The challenge answered by the passkey, to be used up.
    ///   - name: The name in the account's list.
    /// - Throws: `invalid` for a used challenge, for an existing passkey, and for more than ``maximumPasskeys``.
    package func addPasskey(
        _ passkey: PasskeyRegistration, challenge: [UInt8], of account: AccountID, domain: String, name: String
    ) async throws {
        let now = now()
        let label = ClientLabel.of(name)
        try await database.commit(of: account) { db in
            guard try Self.useChallenge(challenge, at: now, db) else {
                throw StorageError(.invalid, "The page has expired. Reload it and try again.")
            }
            let count = try db.value(Int.self, "SELECT COUNT(*) FROM passkey WHERE account = ?", [account.value])
            guard count ?? 0 < Self.maximumPasskeys else {
                throw StorageError(
                    .invalid, "An account may have at most \(Self.maximumPasskeys) passkeys. Remove one.")
            }
            let isKnown = try db.value(
                Int.self, "SELECT 1 FROM passkey WHERE credential = ?", [Data(passkey.credential)])
            guard isKnown == nil else { throw StorageError(.invalid, "That passkey is already registered.") }
            try db.execute(
                """
                INSERT INTO passkey (account, credential, key, domain, counter, name, created)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    account.value, Data(passkey.credential), Data(passkey.key), domain, Int64(passkey.counter),
                    label.isEmpty ? "Passkey" : label, now,
                ])
        }
    }

    /// Returns the passkeys of an account, or of all accounts.
    package func passkeys(ofAccount name: String? = nil) async throws -> [PasskeyRecord] {
        try await database.read { db in
            try db.rows(
                """
                SELECT passkey.*, account.name AS accountName FROM passkey
                JOIN account ON account.id = passkey.account WHERE ?1 IS NULL OR account.name = ?1 ORDER BY passkey.id
                """, [name.map(AccountName.stored)]
            ).map {
                try PasskeyRecord(
                    id: $0["id"], account: $0["accountName"], name: $0["name"],
                    created: Timestamp(seconds: $0["created"]),
                    used: ($0["used"] as Int64?).map { Timestamp(seconds: $0) })
            }
        }
    }

    /// Returns the ids of an account's passkeys at their authenticators.
    package func credentials(of account: AccountID) async throws -> [[UInt8]] {
        try await database.read { db in
            try db.values(Data.self, "SELECT credential FROM passkey WHERE account = ? ORDER BY id", [account.value])
                .map(Array.init)
        }
    }

    /// Removes a passkey, of a given account or, for the owner, of any.
    ///
    /// - Returns: False if there is none with that number.
    package func removePasskey(_ id: Int64, of account: AccountID? = nil) async throws -> Bool {
        try await database.commit { db in
            return try db.execute(
                "DELETE FROM passkey WHERE id = ?1 AND (?2 IS NULL OR account = ?2)", [id, account?.value]) > 0
        }
    }

    /// Opens a session for a browser with proof of a passkey. A passkey alone is two factors: the authenticator, and
    /// the person verified by it.
    ///
    /// - Parameters:
    ///   - challenge: The challenge signed by the passkey, to be used up.
    ///   - secret: The browser's credential from now on.
    /// - Throws: `unauthorized` if the passkey is not known, belongs to a different domain, or did not sign this
    ///   challenge, and if the challenge was used before.
    package func openSession(
        passkey: PasskeyAssertion, challenge: [UInt8], origin: WebOrigin, browser: String, secret: [UInt8]
    ) async throws {
        let now = now()
        let label = ClientLabel.of(browser)
        let account = try await database.read { db in
            try db.value(
                Int64.self, "SELECT account FROM passkey WHERE credential = ?", [Data(passkey.credential)])
        }
        try await database.commit(account.map { .account($0) } ?? .all) { db in
            let row = try db.row(
                """
                SELECT passkey.*, account.userHandle FROM passkey JOIN account ON account.id = passkey.account
                WHERE credential = ? AND domain = ?
                """, [Data(passkey.credential), origin.domain])
            guard let row,
                isEqualInConstantTime(try row["userHandle"] as Data? ?? Data(), Data(passkey.userHandle))
            else {
                throw StorageError(.unauthorized, "This passkey is not known here; it may have been removed.")
            }
            let (key, last): ([UInt8], Int64) = (Array(try row["key"] as Data), try row["counter"])
            let counter: UInt32
            do throws(PasskeyProblem) {
                counter = try passkey.verify(
                    key: key, counter: UInt32(clamping: last),
                    challenge: challenge, origin: origin)
            } catch { throw Self.refusal(of: error) }
            guard try Self.useChallenge(challenge, at: now, db) else { throw Self.refusal(of: .otherChallenge) }
            try db.execute(
                "UPDATE passkey SET counter = ?, used = ? WHERE id = ?", [Int64(counter), now, row["id"] as Int64])
            try Self.addSession(of: row["account"], browser: label, secret: secret, at: now, db)
        }
    }

    /// Returns the creator and verifier of challenges, equal in all processes of a server.
    package func challenges() async throws -> PasskeyChallenges {
        PasskeyChallenges(key: try await secrets.value(.challenges))
    }

    /// Uses a valid challenge up.
    ///
    /// - Returns: Whether that was the first time, in any process.
    static func useChallenge(_ challenge: [UInt8], at now: Int64, _ db: any StorageTransaction) throws -> Bool {
        guard let end = PasskeyChallenges.end(of: challenge) else { return false }
        try db.execute("DELETE FROM usedChallenge WHERE expires < ?", [now])
        return try db.execute(
            "INSERT INTO usedChallenge (challenge, expires) VALUES (?, ?) ON CONFLICT (challenge) DO NOTHING",
            [Data(challenge), end]) > 0
    }

    private static func refusal(of problem: PasskeyProblem) -> StorageError {
        switch problem {
        case .counter:
            StorageError(
                .unauthorized,
                "The passkey's counter went back: there may be a copy of it. Remove it, and register another.",
                cause: problem)
        case .notVerified:
            StorageError(
                .unauthorized, "The passkey has not verified you, for example with a PIN or a fingerprint.",
                cause: problem)
        case .otherChallenge:
            StorageError(.unauthorized, "The page has expired. Reload it and try again.", cause: problem)
        default: StorageError(.unauthorized, "The passkey was not accepted.", cause: problem)
        }
    }
}
