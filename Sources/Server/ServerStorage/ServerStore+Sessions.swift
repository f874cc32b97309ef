package import Basics
package import CloudProtocol
import Foundation
import GRDB

/// A browser that is signed in to the console.
package struct ConsoleSession: Hashable, Sendable {
    package let id: Int64
    package let account: AccountID
    package let accountName: String
}

/// A browser as its account sees it.
package struct SessionRecord: Hashable, Sendable {
    package let id: Int64
    /// What it calls itself.
    package let browser: String
    package let created: Timestamp
    /// To the minute.
    package let seen: Timestamp
}

extension ServerStore {
    /// A browser that shows nothing for so long is signed out.
    package static let sessionIdleLimit: Duration = .seconds(7 * 86_400)
    /// However busy it is, after so long it needs a new code.
    package static let sessionLifetime: Duration = .seconds(30 * 86_400)

    /// Exchanges a code for a session; the code is used up.
    ///
    /// - Parameters:
    ///   - secondFactor: What the account's authenticator app shows, or a recovery code.
    ///   - secret: What the browser presents from now on; the database has its digest.
    /// - Throws: `unauthorized` for a code that is not valid or is for a device only, `secondFactor` where one is missing or wrong.
    package func openSession(
        code: SignInCode, secondFactor: String? = nil, browser: String, secret: [UInt8]
    ) async throws {
        let now = now()
        let label = Self.label(browser)
        try await redeeming(code, secondFactor) { account, grant, db in
            // A browser can do everything, and for as long as its session lasts.
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
        of account: Int64, browser: String, secret: [UInt8], at now: Int64, _ db: Database
    ) throws {
        try removeOldSessions(at: now, db)
        try db.execute(
            sql: "INSERT INTO session (account, hash, browser, created, seen) VALUES (?, ?, ?, ?, ?)",
            arguments: [account, hash(secret), browser, now, now])
    }

    /// Whose secret this is; nil for one that is wrong, was signed out, or is too old.
    package func session(secret: [UInt8]) async throws -> ConsoleSession? {
        let now = now()
        let found = try await database.read { db -> (session: ConsoleSession, seen: Int64)? in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT session.id, account, account.name AS accountName, seen FROM session
                    JOIN account ON account.id = session.account
                    WHERE hash = ? AND seen >= ? AND session.created >= ?
                    """, arguments: [hash(secret), now - Self.idleSeconds, now - Self.lifeSeconds])
            return row.map {
                (
                    ConsoleSession(id: $0["id"], account: AccountID($0["account"]), accountName: $0["accountName"]),
                    $0["seen"]
                )
            }
        }
        guard let found else { return nil }
        // To the minute: what only reads must not write with each request.
        if abs(now - found.seen) >= 60 {
            try await database.commit { db in
                try db.execute(sql: "UPDATE session SET seen = ? WHERE id = ?", arguments: [now, found.session.id])
            }
        }
        return found.session
    }

    /// Whether it was not signed out meanwhile.
    package func isOpen(_ session: ConsoleSession) async throws -> Bool {
        try await database.read { db in
            try Int.fetchOne(db, sql: "SELECT 1 FROM session WHERE id = ?", arguments: [session.id]) != nil
        }
    }

    /// False where the account has no such session.
    package func endSession(_ id: Int64, of account: AccountID) async throws -> Bool {
        try await database.commit { db in
            try db.execute(
                sql: "DELETE FROM session WHERE id = ? AND account = ?", arguments: [id, account.value])
            return db.changesCount > 0
        }
    }

    package func sessions(of account: AccountID) async throws -> [SessionRecord] {
        let now = now()
        return try await database.read { db in
            let rows = try Row.fetchAll(
                db, sql: "SELECT * FROM session WHERE account = ? AND seen >= ? AND created >= ? ORDER BY id",
                arguments: [account.value, now - Self.idleSeconds, now - Self.lifeSeconds])
            return rows.map { row in
                SessionRecord(
                    id: row["id"], browser: row["browser"], created: Timestamp(seconds: row["created"]),
                    seen: Timestamp(seconds: row["seen"]))
            }
        }
    }

    /// Ends a device's access at once, if it is this account's. False where it is not, or was revoked before.
    package func revoke(device: Int64, of account: AccountID) async throws -> Bool {
        let now = now()
        return try await database.commit { db in
            try db.execute(
                sql: "UPDATE device SET revoked = ? WHERE id = ? AND account = ? AND revoked IS NULL",
                arguments: [now, device, account.value])
            return db.changesCount > 0
        }
    }

    /// Requests that a device resets itself; the response to its next request carries that.
    ///
    /// - Returns: False where the account has none of that number.
    package func askReset(of device: Int64, account: AccountID) async throws -> Bool {
        let now = now()
        return try await database.commit { db in
            try db.execute(
                sql: "UPDATE device SET resetAsked = ? WHERE id = ? AND account = ? AND revoked IS NULL",
                arguments: [now, device, account.value])
            return db.changesCount > 0
        }
    }

    /// The device begins to reset itself.
    package func confirmReset(of device: SignedInDevice) async throws {
        try await database.commit { db in
            try db.execute(sql: "UPDATE device SET resetAsked = NULL WHERE id = ?", arguments: [device.device])
        }
    }

    private static var idleSeconds: Int64 { sessionIdleLimit.components.seconds }
    private static var lifeSeconds: Int64 { sessionLifetime.components.seconds }

    private static func removeOldSessions(at now: Int64, _ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM session WHERE seen < ? OR created < ?",
            arguments: [now - idleSeconds, now - lifeSeconds])
    }
}

/// What forms of a session carry, so that no other site can post them: derived from the session's secret, which it does not reveal.
package enum FormToken {
    package static func of(_ secret: [UInt8]) -> String { Hex.encode(hash(Array("form".utf8) + secret).prefix(16)) }

    /// Takes the same time wherever the two differ.
    package static func isEqual(_ one: String, _ other: String) -> Bool {
        isEqualInConstantTime(Data(one.utf8), Data(other.utf8))
    }
}
