package import Basics
import Foundation
import GRDB

/// A browser that is signed in, as the server's owner sees it.
package struct OwnedSession: Hashable, Sendable {
    package let id: Int64
    package let account: String
    /// What the browser calls itself.
    package let browser: String
    package let created: Timestamp
    /// To the minute.
    package let seen: Timestamp
}

/// Sign-in codes of an account that were not used yet.
package struct OpenCodes: Hashable, Sendable {
    package let account: String
    package let count: Int
    /// When the last of them expires.
    package let expires: Timestamp
}

/// A published link as the server's owner sees it.
package struct OwnedLink: Hashable, Sendable {
    package let id: Int64
    package let account: String
    package let container: String
    package let name: String
    package let expires: Timestamp
    /// It came back with a restored backup, and serves nothing until its owner has confirmed it.
    package let isSuspended: Bool
}

/// What the server's owner sees and ends, whichever account it belongs to.
extension ServerStore {
    package func sessions(ofAccount name: String?) async throws -> [OwnedSession] {
        try await database.read { db in
            try Self.requireAccount(ifNamed: name, db)
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT session.*, account.name AS accountName FROM session JOIN account ON account.id = session.account
                    WHERE ?1 IS NULL OR account.name = ?1 ORDER BY session.id
                    """, arguments: [name]
            ).map { row in
                OwnedSession(
                    id: row["id"], account: row["accountName"], browser: row["browser"],
                    created: Timestamp(seconds: row["created"]), seen: Timestamp(seconds: row["seen"]))
            }
        }
    }

    /// Signs a browser out. False where there is no such session.
    package func endSession(_ id: Int64) async throws -> Bool {
        try await database.commit { db in
            try db.execute(sql: "DELETE FROM session WHERE id = ?", arguments: [id])
            return db.changesCount > 0
        }
    }

    /// Codes that still sign a device or a browser in.
    package func openCodes() async throws -> [OpenCodes] {
        let now = now()
        return try await database.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT account.name AS accountName, COUNT(*) AS count, MAX(expires) AS last FROM code
                    JOIN account ON account.id = code.account WHERE expires >= ? GROUP BY account.id ORDER BY account.name
                    """, arguments: [now]
            ).map { OpenCodes(account: $0["accountName"], count: $0["count"], expires: Timestamp(seconds: $0["last"])) }
        }
    }

    /// Withdraws every code of an account that was not used yet.
    ///
    /// - Returns: how many there were.
    package func withdrawCodes(ofAccount name: String) async throws -> Int {
        try await database.commit { db in
            let account = try Self.requireAccount(named: name, db)
            try db.execute(sql: "DELETE FROM code WHERE account = ?", arguments: [account])
            return db.changesCount
        }
    }

    package func links(ofAccount name: String?) async throws -> [OwnedLink] {
        let now = now()
        return try await database.read { db in
            try Self.requireAccount(ifNamed: name, db)
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT link.*, container.name AS containerName, account.name AS accountName FROM link
                    JOIN container ON container.id = link.container JOIN account ON account.id = container.account
                    WHERE expires > ?2 AND (?1 IS NULL OR account.name = ?1) ORDER BY link.id
                    """, arguments: [name, now]
            ).map { row in
                OwnedLink(
                    id: row["id"], account: row["accountName"], container: row["containerName"],
                    name: String(decoding: row["name"] as Data, as: UTF8.self),
                    expires: Timestamp(seconds: row["expires"]), isSuspended: (row["suspended"] as Int64?) != nil)
            }
        }
    }

    /// Lets links serve again that a restore suspended: one, or all of them.
    ///
    /// - Returns: how many there were.
    package func confirm(link: Int64?) async throws -> Int {
        try await database.commit { db in
            try db.execute(
                sql: "UPDATE link SET suspended = NULL WHERE suspended IS NOT NULL AND (?1 IS NULL OR id = ?1)",
                arguments: [link])
            return db.changesCount
        }
    }

    /// Withdraws a link. False where there is none of that number.
    package func withdrawLink(_ id: Int64) async throws -> Bool {
        try await database.commit { db in
            try db.execute(sql: "DELETE FROM link WHERE id = ?", arguments: [id])
            return db.changesCount > 0
        }
    }

    private static func requireAccount(ifNamed name: String?, _ db: Database) throws {
        if let name { _ = try requireAccount(named: name, db) }
    }
}
