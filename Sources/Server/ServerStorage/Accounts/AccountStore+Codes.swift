package import Basics
package import CloudProtocol
import Foundation

/// The unused sign-in codes of an account.
package struct OpenCodes: Hashable, Sendable {
    package let account: String
    package let count: Int
    /// When the last of them expires.
    package let expires: Timestamp
}

/// Sign-in codes. The server's owner or the console creates them; a device or a browser uses them up.
extension AccountStore {
    /// How long a sign-in code may be used.
    package static let codeLifetime: Duration = .seconds(86_400)
    /// The number of wrong second factors that use a code up, so that an attacker with a stolen code cannot try them
    /// all.
    static let wrongFactorLimit = 5

    /// Creates a code for signing in a single device, once.
    ///
    /// - Parameter grant: What that device may do, and until when. A browser can sign in only with a code for full
    ///   access without an expiry.
    /// - Throws: ``StorageError``; `notFound` if there is no such account.
    package func addCode(for name: String, grant: DeviceGrant = .full) async throws -> SignInCode {
        var random = SystemRandomNumberGenerator()
        let code = SignInCode.random(using: &random)
        let now = now()
        try await database.commit { db in
            let account = try Self.requireAccount(named: name, db)
            try db.execute("DELETE FROM code WHERE expires < ?", [now])
            try db.execute(
                "INSERT INTO code (hash, account, expires, scope, deviceExpires) VALUES (?, ?, ?, ?, ?)",
                [
                    hash(code.text.utf8), account, now + Self.codeLifetime.components.seconds, grant.scope.rawValue,
                    grant.expires,
                ])
        }
        return code
    }

    /// Returns the codes still usable for signing in a device or a browser.
    package func openCodes() async throws -> [OpenCodes] {
        let now = now()
        return try await database.read { db in
            try db.rows(
                """
                SELECT account.name AS accountName, COUNT(*) AS count, MAX(expires) AS last FROM code
                JOIN account ON account.id = code.account WHERE expires >= ? GROUP BY account.id ORDER BY account.name
                """, [now]
            ).map {
                try OpenCodes(account: $0["accountName"], count: $0["count"], expires: Timestamp(seconds: $0["last"]))
            }
        }
    }

    /// Withdraws every unused code of an account.
    ///
    /// - Returns: How many there were.
    package func withdrawCodes(ofAccount name: String) async throws -> Int {
        try await database.commit { db in
            let account = try Self.requireAccount(named: name, db)
            return try Self.withdrawCodes(of: account, db)
        }
    }

    @discardableResult
    static func withdrawCodes(of account: Int64, _ db: any StorageTransaction) throws -> Int {
        try db.execute("DELETE FROM code WHERE account = ?", [account])
    }

    /// Withdraws all sign-in codes and recovery codes of a server.
    static func withdrawAllCodes(_ db: any StorageTransaction) throws {
        try db.execute("DELETE FROM code")
        try db.execute("DELETE FROM recoveryCode")
    }

    /// Uses a code up and runs `body` in the same transaction. A code whose second factor is missing or wrong stays
    /// valid, until it was wrong ``wrongFactorLimit`` times.
    ///
    /// - Throws: ``StorageError``; `unauthorized` for an invalid code, `secondFactor` for a missing or wrong second
    ///   factor.
    func redeeming<T: Sendable>(
        _ code: SignInCode, _ factor: String?,
        _ body: @escaping @Sendable (Int64, DeviceGrant, any StorageTransaction) throws -> T
    ) async throws -> T {
        let now = now()
        let key = hash(code.text.utf8)
        let account = try await database.read { db in
            try db.value(Int64.self, "SELECT account FROM code WHERE hash = ?", [key])
        }
        // Throwing would roll the transaction back, but a wrong factor has to be counted. A code never changes its
        // account.
        return try await database.commit(account.map { .account($0) } ?? .all) { db -> Result<T, StorageError> in
            switch try Self.redeem(code, factor, at: now, db) {
            case .success(let found): .success(try body(found.account, found.grant, db))
            case .failure(let error): .failure(error)
            }
        }.get()
    }

    private static func redeem(
        _ code: SignInCode, _ factor: String?, at now: Int64, _ db: any StorageTransaction
    ) throws -> Result<(account: Int64, grant: DeviceGrant), StorageError> {
        let key = hash(code.text.utf8)
        let row = try db.row("SELECT * FROM code WHERE hash = ? AND expires >= ?", [key, now])
        guard let row else {
            return .failure(
                StorageError(
                    .unauthorized,
                    "The code is not valid: mistyped, used before or too old. Ask the server's owner for another."))
        }
        let account: Int64 = try row["account"]
        try requireEnabled(account, db)
        switch try checkFactor(factor, of: account, at: now, db) {
        case .notNeeded, .right: break
        case .missing:
            return .failure(
                StorageError(
                    .secondFactor, "The account also requires a code of its authenticator app, or a recovery code."))
        case .wrong:
            let wrong = (try row["wrongFactors"] as Int) + 1
            try db.execute("UPDATE code SET wrongFactors = ? WHERE hash = ?", [wrong, key])
            guard wrong < wrongFactorLimit else {
                try db.execute("DELETE FROM code WHERE hash = ?", [key])
                return .failure(
                    StorageError(
                        .unauthorized,
                        "Too many wrong codes of the authenticator app. Ask the server's owner for another sign-in code."
                    ))
            }
            return .failure(
                StorageError(
                    .secondFactor, "That code of the authenticator app is wrong, too old, or was used before."))
        }
        try db.execute("DELETE FROM code WHERE hash = ?", [key])
        return try .success(
            (account, DeviceGrant(scope: DeviceScope(stored: row["scope"]), expires: row["deviceExpires"])))
    }
}
