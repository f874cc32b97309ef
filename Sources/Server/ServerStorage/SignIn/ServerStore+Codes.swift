package import CloudProtocol
import Foundation
import GRDB

/// Sign-in codes: made by the server's owner or in the console, used up by a device or a browser.
extension ServerStore {
    /// How long a sign-in code may be used.
    package static let codeLifetime: Duration = .seconds(86_400)
    /// So many wrong second factors use a code up, so that a found code does not allow trying them all.
    static let wrongFactorLimit = 5

    /// Makes a code that signs one device in, once.
    ///
    /// - Parameter grant: What that device may do, and until when. A browser signs in with a code for full access without end only.
    /// - Throws: ``StorageError``; `notFound` where there is no such account.
    package func addCode(for name: String, grant: DeviceGrant = .full) async throws -> SignInCode {
        var random = SystemRandomNumberGenerator()
        let code = SignInCode.random(using: &random)
        let now = now()
        try await database.commit { db in
            let account = try Self.requireAccount(named: name, db)
            try db.execute(sql: "DELETE FROM code WHERE expires < ?", arguments: [now])
            try db.execute(
                sql: "INSERT INTO code (hash, account, expires, scope, deviceExpires) VALUES (?, ?, ?, ?, ?)",
                arguments: [
                    hash(code.text.utf8), account, now + Self.codeLifetime.components.seconds, grant.scope.rawValue,
                    grant.expires,
                ])
        }
        return code
    }

    /// Uses a code up and runs `body` in the same transaction. A code whose second factor is missing or wrong stays, until it was wrong
    /// ``wrongFactorLimit`` times.
    ///
    /// - Throws: ``StorageError``; `unauthorized` for a code that is not valid, `secondFactor` where one is missing or wrong.
    func redeeming<T: Sendable>(
        _ code: SignInCode, _ factor: String?,
        _ body: @escaping @Sendable (Int64, DeviceGrant, Database) throws -> T
    ) async throws -> T {
        let now = now()
        // What is thrown in a transaction undoes it, and a wrong factor has to be counted.
        return try await database.commit { db -> Result<T, StorageError> in
            switch try Self.redeem(code, factor, at: now, db) {
            case .success(let found): .success(try body(found.account, found.grant, db))
            case .failure(let error): .failure(error)
            }
        }.get()
    }

    private static func redeem(
        _ code: SignInCode, _ factor: String?, at now: Int64, _ db: Database
    ) throws -> Result<(account: Int64, grant: DeviceGrant), StorageError> {
        let key = hash(code.text.utf8)
        let row = try Row.fetchOne(
            db, sql: "SELECT * FROM code WHERE hash = ? AND expires >= ?", arguments: [key, now])
        guard let row else {
            return .failure(
                StorageError(
                    .unauthorized,
                    "The code is not valid: mistyped, used before or too old. Ask the server's owner for another."))
        }
        let account: Int64 = row["account"]
        switch try checkFactor(factor, of: account, at: now, db) {
        case .notNeeded, .right: break
        case .missing:
            return .failure(
                StorageError(
                    .secondFactor, "The account also asks for a code of its authenticator app, or a recovery code."))
        case .wrong:
            let wrong = (row["wrongFactors"] as Int) + 1
            try db.execute(sql: "UPDATE code SET wrongFactors = ? WHERE hash = ?", arguments: [wrong, key])
            guard wrong < wrongFactorLimit else {
                try db.execute(sql: "DELETE FROM code WHERE hash = ?", arguments: [key])
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
        try db.execute(sql: "DELETE FROM code WHERE hash = ?", arguments: [key])
        return .success((account, DeviceGrant(scope: DeviceScope(stored: row["scope"]), expires: row["deviceExpires"])))
    }
}
