package import Basics
package import CloudModel
package import CloudProtocol
import Foundation
import Logging

/// A device as seen by its server's owner.
package struct DeviceRecord: Hashable, Sendable {
    package let id: Int64
    package let account: String
    package let name: String
    package let created: Timestamp
    /// When the device last made a request, to the minute.
    package let seen: Timestamp
    package let isRevoked: Bool
    /// Whether the device was restored from a backup, and the owner has not confirmed it.
    package let isSuspended: Bool
    /// Whether a requested reset has not begun on the device.
    package let isResetAsked: Bool
    /// Whether the device has read more of a log than the server has (``AheadDevices``).
    package let isAhead: Bool
    package let scope: DeviceScope
    /// When the device's access ends; nil: when it is revoked.
    package let expires: Timestamp?
    /// The states using the device's token.
    package let senders: [DeviceSender]
}

/// The device making a request.
package struct SignedInDevice: Hashable, Sendable {
    package let account: AccountID
    package let device: Int64
    /// The identity of the account's cloud, once it has one.
    package let cloud: String?
    /// The state of the device making the request; nil for other programs.
    package let sender: DeviceID?
    /// Whether this state is requested to reset itself.
    package let isResetAsked: Bool
    package let scope: DeviceScope
}

/// Devices: their tokens, their permissions and expiry.
package struct DeviceStore: NounStore {
    let database: any StorageDatabase
    let time: any TimeSource
    let log: Logger
    let accounts: AccountStore
    private let lookup: StoredDevices
    let contacts: ContactNotes

    init(database: any StorageDatabase, time: any TimeSource, log: Logger, accounts: AccountStore) {
        self.database = database
        self.time = time
        self.log = log
        self.accounts = accounts
        lookup = StoredDevices(database)
        contacts = ContactNotes(database, log)
    }

    /// Exchanges a code for a token and uses the code up.
    ///
    /// - Parameters:
    ///   - secondFactor: A code of the account's authenticator app, or a recovery code.
    ///   - expected: The required account of the code; nil for any.
    /// - Throws: `unauthorized` for an invalid code, `secondFactor` if one is missing or wrong, `otherAccount`. The
    ///   code stays valid after the last two.
    package func signIn(
        code: SignInCode, secondFactor: String? = nil, device name: String, account expected: String? = nil
    ) async throws -> SignInResponse {
        let now = now()
        let label = ClientLabel.of(name)
        return try await accounts.redeeming(code, secondFactor) { account, grant, db in
            let accountName = try AccountStore.name(of: account, db) ?? ""
            guard expected == nil || expected == accountName else {
                throw StorageError(.otherAccount, "The code is of another account; it stays valid.")
            }
            let id = try db.value(
                Int64.self,
                """
                INSERT INTO device (account, name, tokenHash, created, seen, scope, expires) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id
                """, [account, label, Data(), now, now, grant.scope.rawValue, grant.expires])
            guard let id else { throw StorageError(.failed, "The device could not be stored; try again.") }
            var random = SystemRandomNumberGenerator()
            let token = DeviceToken.random(device: id, using: &random)
            try db.execute("UPDATE device SET tokenHash = ? WHERE id = ?", [hash(token.secret), token.device])
            return SignInResponse(token: token.text, account: accountName, device: token.device)
        }
    }

    /// Returns the device with a token; nil if the token is wrong or was revoked.
    ///
    /// - Parameter sender: The state of the device making the request.
    /// - Throws: `unauthorized` for a device suspended by a restore, with expired access, or of a disabled account.
    package func device(with token: DeviceToken, sender: DeviceID? = nil) async throws -> SignedInDevice? {
        let found = try await lookup.value(of: token.device)
        guard let found, isEqualInConstantTime(found.hash, hash(token.secret)) else { return nil }
        guard !found.isDisabled else { throw AccountStore.disabled }
        guard !found.isSuspended else { throw Self.suspended(token.device) }
        guard found.expires.map({ $0 > now() }) ?? true else { throw Self.expired }
        noteContact(of: token.device, last: found.seen)
        return found.device(sender)
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
        "The access of this device was limited in time and has expired. Ask the server's owner for another sign-in code."
    )

    /// Confirms one or all of the devices suspended by a restore.
    ///
    /// - Returns: How many were confirmed.
    package func confirm(device: Int64?) async throws -> Int {
        try await database.commit { db in
            return try db.execute(
                """
                UPDATE device SET suspended = NULL
                WHERE suspended IS NOT NULL AND revoked IS NULL AND (?1 IS NULL OR id = ?1)
                """, [device])
        }
    }

    /// Whether the device still has access, and no new reset was requested.
    package func isSignedIn(_ device: SignedInDevice) async throws -> Bool {
        guard let found = try await lookup.value(of: device.device), !found.isSuspended, !found.isDisabled else {
            return false
        }
        return (device.isResetAsked || !found.device(device.sender).isResetAsked)
            && found.expires.map { $0 > now() } ?? true
    }

    /// Records the device's contact to the minute, so that a busy device does not cause a write with each request. A
    /// clock that was set back counts as a minute too.
    private func noteContact(of device: Int64, last: Int64) {
        let now = now()
        if abs(now - last) >= 60 { contacts.note(device, at: now) }
    }

    /// Ends a device's access immediately. Returns false if there is no such device, or it was revoked before.
    package func revoke(device: Int64) async throws -> Bool {
        let now = now()
        return try await database.commit { db in
            return try db.execute("UPDATE device SET revoked = ? WHERE id = ? AND revoked IS NULL", [now, device]) > 0
        }
    }

    /// Ends a device's access immediately, if it is this account's. Returns false if it is not, or was revoked before.
    package func revoke(device: Int64, of account: AccountID) async throws -> Bool {
        let now = now()
        return try await database.commit(of: account) { db in
            return try db.execute(
                "UPDATE device SET revoked = ? WHERE id = ? AND account = ? AND revoked IS NULL",
                [now, device, account.value]) > 0
        }
    }

    package func list(of account: String? = nil) async throws -> [DeviceRecord] {
        let account = account.map(AccountName.stored)
        return try await database.read { db in
            let rows = try db.rows(
                """
                \(Self.columns) WHERE ? IS NULL OR account.name = ? ORDER BY device.id
                """, [account, account])
            let senders = try SenderStore.all(of: nil, db)
            return try rows.map { try DeviceRecord($0, senders) }
        }
    }

    static func revokeAll(of account: Int64, at now: Int64, _ db: any StorageTransaction) throws {
        try db.execute("UPDATE device SET revoked = ? WHERE account = ? AND revoked IS NULL", [now, account])
    }

    static func removeAll(of account: Int64, _ db: any StorageTransaction) throws {
        try db.execute("DELETE FROM device WHERE account = ?", [account])
    }

    /// Suspends every device of a server until its owner confirms it.
    static func suspendAll(_ db: any StorageTransaction) throws {
        try db.execute("UPDATE device SET suspended = unixepoch() WHERE revoked IS NULL")
    }
}

/// Compares in constant time.
func isEqualInConstantTime(_ one: Data, _ other: Data) -> Bool {
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}
