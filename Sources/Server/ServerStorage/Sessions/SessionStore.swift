package import Basics
package import CloudProtocol
import Foundation

/// A session of a browser signed in to the console.
package struct ConsoleSession: Hashable, Sendable {
    package let id: Int64
    package let account: AccountID
    package let accountName: String
    /// Whether the account manages the others.
    package let isOwner: Bool
}

/// A browser as seen by its account.
package struct SessionRecord: Hashable, Sendable {
    package let id: Int64
    /// The name that the browser gives itself.
    package let browser: String
    package let created: Timestamp
    /// When the browser last made a request, to the minute.
    package let seen: Timestamp
}

/// A signed-in browser as seen by the server's owner.
package struct OwnedSession: Hashable, Sendable {
    package let id: Int64
    package let account: String
    /// The name that the browser gives itself.
    package let browser: String
    package let created: Timestamp
    /// When the browser last made a request, to the minute.
    package let seen: Timestamp
}

/// Sessions of browsers in the console, and passkeys for signing them in.
package struct SessionStore: NounStore {
    let database: any StorageDatabase
    let time: any TimeSource
    let accounts: AccountStore
    let secrets: SecretStore

    /// How long a browser may be idle before it is signed out.
    package static let sessionIdleLimit: Duration = .seconds(7 * 86_400)
    /// How long a session lasts, however busy it is; after that the browser needs a new code.
    package static let sessionLifetime: Duration = .seconds(30 * 86_400)

    /// Exchanges a code for a session and uses the code up.
    ///
    /// - Parameters:
    ///   - secondFactor: A code of the account's authenticator app, or a recovery code.
    ///   - secret: The browser's credential from now on; the database has its digest.
    /// - Throws: `unauthorized` for an invalid code or a code for devices only, `secondFactor` if one is missing or
    ///   wrong.
    package func openSession(
        code: SignInCode, secondFactor: String? = nil, browser: String, secret: [UInt8]
    ) async throws {
        let now = now()
        let label = ClientLabel.of(browser)
        try await accounts.redeeming(code, secondFactor) { account, grant, db in
            // A browser has full access for as long as its session lasts.
            guard grant == .full else {
                throw StorageError(
                    .unauthorized,
                    "This code is for a device with limited access. A browser needs a code without --scope and --expires."
                )
            }
            try Self.addSession(of: account, browser: label, secret: secret, at: now, db)
        }
    }

    static func addSession(
        of account: Int64, browser: String, secret: [UInt8], at now: Int64, _ db: any StorageTransaction
    ) throws {
        try AccountStore.requireEnabled(account, db)
        try removeOldSessions(at: now, db)
        try db.execute(
            "INSERT INTO session (account, hash, browser, created, seen) VALUES (?, ?, ?, ?, ?)",
            [account, hash(secret), browser, now, now])
    }

    /// Returns the session with a secret; nil if the secret is wrong, the session was signed out or is too old, or its
    /// account is disabled.
    package func session(secret: [UInt8]) async throws -> ConsoleSession? {
        let now = now()
        let found = try await database.read { db -> (session: ConsoleSession, seen: Int64)? in
            let row = try db.row(
                """
                SELECT session.id, account, account.name AS accountName, account.isOwner, seen FROM session
                JOIN account ON account.id = session.account
                WHERE hash = ? AND seen >= ? AND session.created >= ? AND account.disabled IS NULL
                """, [hash(secret), now - Self.idleSeconds, now - Self.lifeSeconds])
            return try row.map {
                try (
                    ConsoleSession(
                        id: $0["id"], account: AccountID($0["account"]), accountName: $0["accountName"],
                        isOwner: ($0["isOwner"] as Int64) > 0),
                    $0["seen"]
                )
            }
        }
        guard let found else { return nil }
        // To the minute, so that requests that only read do not write each time.
        if abs(now - found.seen) >= 60 {
            try await database.commit(.statement) { db in
                try db.execute("UPDATE session SET seen = ? WHERE id = ?", [now, found.session.id])
            }
        }
        return found.session
    }

    /// Whether the session has not been signed out meanwhile, nor its account disabled.
    package func isOpen(_ session: ConsoleSession) async throws -> Bool {
        try await database.read { db in
            try db.exists(
                """
                SELECT 1 FROM session JOIN account ON account.id = session.account
                WHERE session.id = ? AND disabled IS NULL
                """, [session.id])
        }
    }

    /// Signs a browser of the account out. Returns false if the account has no such session.
    package func endSession(_ id: Int64, of account: AccountID) async throws -> Bool {
        try await database.commit(of: account) { db in
            return try db.execute("DELETE FROM session WHERE id = ? AND account = ?", [id, account.value]) > 0
        }
    }

    /// Signs all browsers of an account out except one.
    package func endOthers(than session: Int64, of account: AccountID) async throws {
        try await database.commit(of: account) { db in
            try db.execute("DELETE FROM session WHERE account = ? AND id <> ?", [account.value, session])
        }
    }

    /// Returns the newest sessions of an account, in ascending order, and their total number.
    package func newest(
        of account: AccountID, limit: Int
    ) async throws -> (newest: [SessionRecord], total: Int) {
        let now = now()
        return try await database.read { db in
            let condition = "FROM session WHERE account = ? AND seen >= ? AND created >= ?"
            let values: [any StorageValueConvertible] = [
                account.value, now - Self.idleSeconds, now - Self.lifeSeconds,
            ]
            let total = try db.value(Int.self, "SELECT COUNT(*) \(condition)", values)
            let rows = try db.rows("SELECT * \(condition) ORDER BY id DESC LIMIT ?", values + [limit])
            let newest = try rows.reversed().map { row in
                try SessionRecord(
                    id: row["id"], browser: row["browser"], created: Timestamp(seconds: row["created"]),
                    seen: Timestamp(seconds: row["seen"]))
            }
            return (newest, total ?? 0)
        }
    }

    package func list(ofAccount name: String?) async throws -> [OwnedSession] {
        try await database.read { db in
            try AccountStore.requireAccount(ifNamed: name, db)
            return try db.rows(
                """
                SELECT session.*, account.name AS accountName FROM session JOIN account ON account.id = session.account
                WHERE ?1 IS NULL OR account.name = ?1 ORDER BY session.id
                """, [name.map(AccountName.stored)]
            ).map { row in
                try OwnedSession(
                    id: row["id"], account: row["accountName"], browser: row["browser"],
                    created: Timestamp(seconds: row["created"]), seen: Timestamp(seconds: row["seen"]))
            }
        }
    }

    /// Signs a browser out. Returns false if there is no such session.
    package func endSession(_ id: Int64) async throws -> Bool {
        try await database.commit { db in
            return try db.execute("DELETE FROM session WHERE id = ?", [id]) > 0
        }
    }

    private static var idleSeconds: Int64 { sessionIdleLimit.components.seconds }
    private static var lifeSeconds: Int64 { sessionLifetime.components.seconds }

    /// Removes the sessions and passkeys of an account.
    static func removeAll(of account: Int64, _ db: any StorageTransaction) throws {
        try db.execute("DELETE FROM session WHERE account = ?", [account])
        try db.execute("DELETE FROM passkey WHERE account = ?", [account])
    }

    /// Ends every session of a server.
    static func endAll(_ db: any StorageTransaction) throws { try db.execute("DELETE FROM session") }

    static func removeAllPasskeys(_ db: any StorageTransaction) throws { try db.execute("DELETE FROM passkey") }

    private static func removeOldSessions(at now: Int64, _ db: any StorageTransaction) throws {
        try db.execute("DELETE FROM session WHERE seen < ? OR created < ?", [now - idleSeconds, now - lifeSeconds])
    }
}

/// The token in a session's forms, preventing other sites from posting them. It is derived from the session's secret
/// without revealing it.
package enum FormToken {
    package static func of(_ secret: [UInt8]) -> String { Hex.encode(hash(Array("form".utf8) + secret).prefix(16)) }

    /// Compares in constant time.
    package static func isEqual(_ one: String, _ other: String) -> Bool {
        isEqualInConstantTime(Data(one.utf8), Data(other.utf8))
    }
}
