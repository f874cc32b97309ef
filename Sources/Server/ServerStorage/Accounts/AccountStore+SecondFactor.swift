package import CloudProtocol
import Foundation

/// An account's second factor: codes of an authenticator app, with recovery codes as a substitute.
extension AccountStore {
    package enum SecondFactor: Hashable, Sendable {
        case off
        /// The app has the secret or is about to get it; no code of it has been entered yet.
        case settingUp(OneTimePassword)
        case on(recoveryCodes: Int)

        package var isOn: Bool { if case .on = self { true } else { false } }
    }

    private static let recoveryCodeCount = 10

    package func secondFactor(of account: AccountID) async throws -> SecondFactor {
        try await database.read { db in
            let row = try db.row("SELECT * FROM oneTimePassword WHERE account = ?", [account.value])
            guard let row else { return .off }
            guard try row["confirmed"] as Bool else {
                return .settingUp(OneTimePassword(secret: Array(try row["secret"] as Data)))
            }
            let count = try db.value(Int.self, "SELECT COUNT(*) FROM recoveryCode WHERE account = ?", [account.value])
            return .on(recoveryCodes: count ?? 0)
        }
    }

    /// Creates a secret for an app. No codes are required before ``confirmSecondFactor(_:of:)``.
    ///
    /// - Throws: `invalid` if the second factor is on.
    package func beginSecondFactor(of account: AccountID) async throws {
        var random = SystemRandomNumberGenerator()
        let password = OneTimePassword.random(using: &random)
        try await database.commit(of: account) { db in
            guard try !Self.asksSecondFactor(account.value, db) else {
                throw StorageError(.invalid, "The authenticator app is already set up. Turn it off first.")
            }
            try db.execute(
                """
                INSERT INTO oneTimePassword (account, secret) VALUES (?, ?)
                ON CONFLICT (account) DO UPDATE SET secret = excluded.secret, confirmed = 0, lastStep = NULL
                """, [account.value, Data(password.secret)])
        }
    }

    /// Turns the second factor on, after the app has proved its possession of the secret.
    ///
    /// - Returns: Recovery codes, each for one sign-in. They are shown once; the database has only their digests.
    /// - Throws: `secondFactor` for a wrong code, `invalid` if no set-up is under way.
    package func confirmSecondFactor(_ code: String, of account: AccountID) async throws -> [SignInCode] {
        let now = now()
        var random = SystemRandomNumberGenerator()
        let codes = (0..<Self.recoveryCodeCount).map { _ in SignInCode.random(using: &random) }
        try await database.commit(of: account) { db in
            let row = try db.row(
                "SELECT secret FROM oneTimePassword WHERE account = ? AND confirmed = 0", [account.value])
            guard let row else { throw StorageError(.invalid, "No authenticator app is being set up. Start again.") }
            let password = OneTimePassword(secret: Array(try row["secret"] as Data))
            guard let step = password.step(of: Self.digits(code), at: now, after: nil) else {
                throw StorageError(
                    .secondFactor, "That is not the app's current code. Check that the clock of its device is right.")
            }
            try db.execute(
                "UPDATE oneTimePassword SET confirmed = 1, lastStep = ? WHERE account = ?", [step, account.value])
            try db.execute("DELETE FROM recoveryCode WHERE account = ?", [account.value])
            for code in codes {
                try db.execute(
                    "INSERT INTO recoveryCode (account, hash) VALUES (?, ?)", [account.value, hash(code.text.utf8)])
            }
        }
        return codes
    }

    /// Turns the second factor off, or cancels its set-up.
    ///
    /// - Parameter code: A code of the app or a recovery code; ignored while the app is being set up.
    /// - Throws: `secondFactor` for a wrong code.
    package func endSecondFactor(of account: AccountID, code: String) async throws {
        let now = now()
        try await database.commit(of: account) { db in
            guard try [.right, .notNeeded].contains(Self.checkFactor(code, of: account.value, at: now, db)) else {
                throw Self.wrongFactor
            }
            try Self.removeSecondFactor(of: account.value, db)
        }
    }

    /// Turns the second factor off without a code. The server's owner does that for users without their app and
    /// recovery codes.
    ///
    /// - Returns: False if it was off.
    package func resetSecondFactor(ofAccount name: String) async throws -> Bool {
        try await database.commit { db in
            try Self.removeSecondFactor(of: try Self.requireAccount(named: name, db), db)
        }
    }

    /// Checks a second factor within an existing session, before an operation forbidden to a stolen session.
    ///
    /// - Throws: `secondFactor` if it is missing or wrong.
    package func requireSecondFactor(_ code: String, of account: AccountID) async throws {
        let now = now()
        try await database.commit(of: account) { db in
            guard try [.right, .notNeeded].contains(Self.checkFactor(code, of: account.value, at: now, db)) else {
                throw Self.wrongFactor
            }
        }
    }

    private static let wrongFactor = StorageError(
        .secondFactor, "That code of the authenticator app is missing, wrong, too old, or was used before.")

    enum FactorCheck: Hashable {
        case notNeeded
        case missing
        case right
        case wrong
    }

    /// Checks the typed code, and uses it up if it is right.
    static func checkFactor(_ typed: String?, of account: Int64, at now: Int64, _ db: any StorageTransaction) throws
        -> FactorCheck
    {
        let row = try db.row(
            "SELECT secret, lastStep FROM oneTimePassword WHERE account = ? AND confirmed = 1", [account])
        guard let row else { return .notNeeded }
        let code = digits(typed ?? "")
        guard !code.isEmpty else { return .missing }
        let password = OneTimePassword(secret: Array(try row["secret"] as Data))
        if let step = password.step(of: code, at: now, after: try row["lastStep"]) {
            try db.execute("UPDATE oneTimePassword SET lastStep = ? WHERE account = ?", [step, account])
            return .right
        }
        guard let recovery = SignInCode(typed: code) else { return .wrong }
        return try db.execute(
            "DELETE FROM recoveryCode WHERE account = ? AND hash = ?", [account, hash(recovery.text.utf8)]) > 0
            ? .right : .wrong
    }

    /// Removes white space: apps show a code in groups, and people type it like that.
    private static func digits(_ typed: String) -> String { typed.filter { !$0.isWhitespace } }

    private static func asksSecondFactor(_ account: Int64, _ db: any StorageTransaction) throws -> Bool {
        try db.exists("SELECT 1 FROM oneTimePassword WHERE account = ? AND confirmed = 1", [account])
    }

    @discardableResult
    private static func removeSecondFactor(of account: Int64, _ db: any StorageTransaction) throws -> Bool {
        try db.execute("DELETE FROM recoveryCode WHERE account = ?", [account])
        return try db.execute("DELETE FROM oneTimePassword WHERE account = ?", [account]) > 0
    }
}
