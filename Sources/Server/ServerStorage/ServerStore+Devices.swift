package import Basics
package import CloudProtocol
import Foundation
import GRDB
import Logging

/// A device as its server's owner sees it.
package struct DeviceRecord: Hashable, Sendable {
    package let id: Int64
    package let account: String
    package let name: String
    package let created: Timestamp
    /// To the minute.
    package let seen: Timestamp
    package let isRevoked: Bool
    /// It came back with a restored backup, and its owner has not confirmed it.
    package let isSuspended: Bool
    /// A reset was requested, and the device has not begun it.
    package let isResetAsked: Bool
    package let scope: DeviceScope
    /// When its access ends; nil: when it is revoked.
    package let expires: Timestamp?
}

/// Who makes a request.
package struct SignedInDevice: Hashable, Sendable {
    package let account: AccountID
    package let device: Int64
    /// The identity of the account's cloud, once it has one.
    package let cloud: String?
    /// The device is asked to reset itself.
    package let isResetAsked: Bool
    package let scope: DeviceScope
}

extension ServerStore {
    /// Exchanges a code for a token; the code is used up.
    ///
    /// - Parameter secondFactor: What the account's authenticator app shows, or a recovery code.
    /// - Throws: `unauthorized` for a code that is not valid, `secondFactor` where one is missing or wrong.
    package func signIn(
        code: SignInCode, secondFactor: String? = nil, device name: String
    ) async throws -> SignInAnswer {
        let now = now()
        let label = Self.label(name)
        return try await redeeming(code, secondFactor) { account, grant, db in
            try db.execute(
                sql: """
                    INSERT INTO device (account, name, tokenHash, created, seen, scope, expires) VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [account, label, Data(), now, now, grant.scope.rawValue, grant.expires])
            var random = SystemRandomNumberGenerator()
            let token = DeviceToken.random(device: db.lastInsertedRowID, using: &random)
            try db.execute(
                sql: "UPDATE device SET tokenHash = ? WHERE id = ?", arguments: [hash(token.secret), token.device])
            let accountName = try String.fetchOne(
                db, sql: "SELECT name FROM account WHERE id = ?", arguments: [account])
            return SignInAnswer(token: token.text, account: accountName ?? "", device: token.device)
        }
    }

    /// Whose token this is; nil for one that is wrong or was revoked.
    ///
    /// - Throws: `unauthorized` for a device that a restore suspended, and for one whose access has expired.
    package func device(with token: DeviceToken) async throws -> SignedInDevice? {
        let now = now()
        let found = try await database.read {
            db -> (device: SignedInDevice, hash: Data, seen: Int64, isSuspended: Bool, isExpired: Bool)? in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT account, identity, tokenHash, seen, resetAsked, suspended, scope, expires FROM device
                    JOIN account ON account.id = device.account
                    WHERE device.id = ? AND revoked IS NULL
                    """, arguments: [token.device])
            return row.map { row in
                let device = SignedInDevice(
                    account: AccountID(row["account"]), device: token.device, cloud: row["identity"],
                    isResetAsked: (row["resetAsked"] as Int64?) != nil, scope: DeviceScope(stored: row["scope"]))
                return (
                    device, row["tokenHash"], row["seen"], (row["suspended"] as Int64?) != nil,
                    row["expires"] as Int64? ?? .max <= now
                )
            }
        }
        guard let found, isEqualInConstantTime(found.hash, hash(token.secret)) else { return nil }
        guard !found.isSuspended else { throw Self.suspended(token.device) }
        guard !found.isExpired else { throw Self.expired }
        try await noteContact(of: token.device, last: found.seen)
        return found.device
    }

    private static func suspended(_ device: Int64) -> StorageError {
        StorageError(
            .unauthorized,
            """
            The server was restored from a backup, and this device has not been confirmed since. The server's owner confirms it with \
            `ubiquity-server device confirm \(device)`.
            """)
    }

    private static let expired = StorageError(
        .unauthorized,
        "This device was signed in for a limited time, which is over. Ask the server's owner for another sign-in code.")

    /// Lets devices in again that a restore suspended: one, or all of them.
    ///
    /// - Returns: how many there were.
    package func confirm(device: Int64?) async throws -> Int {
        try await database.commit { db in
            try db.execute(
                sql: """
                    UPDATE device SET suspended = NULL
                    WHERE suspended IS NOT NULL AND revoked IS NULL AND (?1 IS NULL OR id = ?1)
                    """, arguments: [device])
            return db.changesCount
        }
    }

    /// Whether its access has not ended meanwhile, and no new reset was requested.
    package func isSignedIn(_ device: SignedInDevice) async throws -> Bool {
        let now = now()
        return try await database.read { db in
            try Int.fetchOne(
                db,
                sql: """
                    SELECT 1 FROM device
                    WHERE id = ? AND revoked IS NULL AND suspended IS NULL AND (resetAsked IS NULL OR ?)
                        AND (expires IS NULL OR expires > ?)
                    """,
                arguments: [device.device, device.isResetAsked, now]) != nil
        }
    }

    /// To the minute, so that a busy device costs no write with each request. A clock that was set back counts as a minute too.
    private func noteContact(of device: Int64, last: Int64) async throws {
        let now = now()
        guard abs(now - last) >= 60 else { return }
        do {
            try await database.commit { db in
                try db.execute(sql: "UPDATE device SET seen = ? WHERE id = ?", arguments: [now, device])
            }
        } catch let error as StorageError where error.code == .full {
            // A full disk must still answer what only reads.
            log.warning("the contact of a device was not noted", metadata: ["device": "\(device)"])
        }
    }

    /// Ends a device's access at once. False where there is no such device, or it was revoked before.
    package func revoke(device: Int64) async throws -> Bool {
        let now = now()
        return try await database.commit { db in
            try db.execute(
                sql: "UPDATE device SET revoked = ? WHERE id = ? AND revoked IS NULL", arguments: [now, device])
            return db.changesCount > 0
        }
    }

    /// Requests that a device resets itself; the response to its next request carries that.
    ///
    /// - Returns: False where no device of that number is signed in.
    package func askReset(of device: Int64) async throws -> Bool {
        let now = now()
        return try await database.commit { db in
            try db.execute(
                sql: "UPDATE device SET resetAsked = ? WHERE id = ? AND revoked IS NULL", arguments: [now, device])
            return db.changesCount > 0
        }
    }

    package func devices(of account: String? = nil) async throws -> [DeviceRecord] {
        try await database.read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT device.*, account.name AS accountName FROM device JOIN account ON account.id = device.account
                    WHERE ? IS NULL OR account.name = ? ORDER BY device.id
                    """, arguments: [account, account])
            return rows.map { row in
                DeviceRecord(
                    id: row["id"], account: row["accountName"], name: row["name"],
                    created: Timestamp(seconds: row["created"]), seen: Timestamp(seconds: row["seen"]),
                    isRevoked: (row["revoked"] as Int64?) != nil, isSuspended: (row["suspended"] as Int64?) != nil,
                    isResetAsked: (row["resetAsked"] as Int64?) != nil, scope: DeviceScope(stored: row["scope"]),
                    expires: (row["expires"] as Int64?).map { Timestamp(seconds: $0) })
            }
        }
    }

    /// A device names itself: nothing in that may harm the terminal that shows it.
    static func label(_ name: String) -> String {
        let visible = name.unicodeScalars.filter { !$0.properties.isWhitespace || $0 == " " }
            .filter { $0.properties.generalCategory != .control && $0.properties.generalCategory != .format }
        return String(String.UnicodeScalarView(visible.prefix(64)))
    }
}

/// Takes the same time wherever the two differ.
func isEqualInConstantTime(_ one: Data, _ other: Data) -> Bool {
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}
