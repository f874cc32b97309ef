import Basics
import CloudProtocol
import Foundation
import GRDB
import ServerStorage
import Testing

@Suite("The second factor of an account", .eachEngine)
struct SecondFactorTests {
    private let time = SettableTime()

    private struct Factor {
        let account: AccountID
        let password: OneTimePassword
        let recovery: [SignInCode]
    }

    private func code(_ password: OneTimePassword, ahead: Int64 = 0) -> String {
        password.code(counter: UInt64(OneTimePassword.step(at: time.now().split.seconds) + ahead))
    }

    /// Runs `body` with an account with an authenticator app. The clock is one step later, so the next code is unused.
    private func withFactor(_ body: (ServerStore, Factor) async throws -> Void) async throws {
        try await withStore(time: time) { store in
            let account = try await store.newAccount("anna")
            try await store.accounts.beginSecondFactor(of: account)
            guard case .settingUp(let password) = try await store.accounts.secondFactor(of: account) else {
                Issue.record("nothing is being set up")
                return
            }
            let codes = try await store.accounts.confirmSecondFactor(code(password), of: account)
            time.advance(by: .seconds(60))
            try await body(store, Factor(account: account, password: password, recovery: codes))
        }
    }

    private func expect(_ code: StorageError.Code, _ body: () async throws -> Void) async {
        do {
            try await body()
            Issue.record("expected \(code)")
        } catch let error as StorageError { #expect(error.code == code, "\(error)") } catch { Issue.record(error) }
    }

    @Test(
        "the second factor is required when a device or a browser signs in, and the sign-in code stays valid until it is right"
    )
    func signIn() async throws {
        try await withFactor { store, factor in
            let sign = try await store.accounts.addCode(for: "anna")
            await expect(.secondFactor) { _ = try await store.devices.signIn(code: sign, device: "laptop") }
            await expect(.secondFactor) {
                _ = try await store.devices.signIn(code: sign, secondFactor: "000", device: "x")
            }
            await expect(.secondFactor) {
                try await store.sessions.openSession(code: sign, browser: "b", secret: [1])
            }
            let shown = code(factor.password)
            let spaced = "\(shown.prefix(3)) \(shown.suffix(3))"
            _ = try await store.devices.signIn(code: sign, secondFactor: spaced, device: "laptop")
            let names = try await store.devices.list().map(\.name)
            #expect(names == ["test", "laptop"])
            let other = try await store.accounts.addCode(for: "anna")
            // The same code is refused a second time within its period.
            await expect(.secondFactor) {
                try await store.sessions.openSession(code: other, secondFactor: shown, browser: "b", secret: [1])
            }
            let later = code(factor.password, ahead: 1)
            try await store.sessions.openSession(code: other, secondFactor: later, browser: "b", secret: [1])
            let session = try await store.sessions.session(secret: [1])
            #expect(session?.accountName == "anna")
        }
    }

    @Test("the second factor cannot be guessed with a sign-in code: five wrong attempts use up the code")
    func guessing() async throws {
        try await withFactor { store, factor in
            let sign = try await store.accounts.addCode(for: "anna")
            for _ in 0..<4 {
                await expect(.secondFactor) {
                    _ = try await store.devices.signIn(code: sign, secondFactor: "1", device: "x")
                }
            }
            await expect(.unauthorized) {
                _ = try await store.devices.signIn(code: sign, secondFactor: "1", device: "x")
            }
            let right = code(factor.password)
            await expect(.unauthorized) {
                _ = try await store.devices.signIn(code: sign, secondFactor: right, device: "x")
            }
        }
    }

    @Test("a recovery code replaces the second factor once")
    func recovery() async throws {
        try await withFactor { store, factor in
            #expect(factor.recovery.count == 10)
            let first = factor.recovery[0].description.lowercased()
            _ = try await store.devices.signIn(
                code: store.accounts.addCode(for: "anna"), secondFactor: first, device: "laptop")
            await expect(.secondFactor) {
                _ = try await store.devices.signIn(
                    code: store.accounts.addCode(for: "anna"), secondFactor: first, device: "again")
            }
            let left = try await store.accounts.secondFactor(of: factor.account)
            #expect(left == .on(recoveryCodes: 9))
        }
    }

    @Test("the second factor is turned off only with one of its codes; the server's owner needs none")
    func off() async throws {
        try await withFactor { store, factor in
            await expect(.secondFactor) { try await store.accounts.endSecondFactor(of: factor.account, code: "") }
            await expect(.invalid) { try await store.accounts.beginSecondFactor(of: factor.account) }
            try await store.accounts.endSecondFactor(of: factor.account, code: code(factor.password))
            _ = try await store.devices.signIn(code: store.accounts.addCode(for: "anna"), device: "laptop")
            let nothing = try await store.accounts.resetSecondFactor(ofAccount: "anna")
            #expect(!nothing)
        }
        try await withFactor { store, _ in
            let isReset = try await store.accounts.resetSecondFactor(ofAccount: "anna")
            #expect(isReset)
            _ = try await store.devices.signIn(code: store.accounts.addCode(for: "anna"), device: "laptop")
        }
    }

    @Test("the second factor is not required before the app has proved that it has the secret")
    func unconfirmed() async throws {
        try await withStore(time: time) { store in
            let account = try await store.newAccount("anna")
            try await store.accounts.beginSecondFactor(of: account)
            await expect(.secondFactor) { _ = try await store.accounts.confirmSecondFactor("000", of: account) }
            _ = try await store.devices.signIn(code: store.accounts.addCode(for: "anna"), device: "laptop")
        }
    }

    @Test(
        "recovery codes are stored only as digests, and become invalid with a restore, as passkeys do", .sqliteFileOnly)
    func stored() async throws {
        try await withFolder { path in
            var codes: [SignInCode] = []
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try await withStore(at: "\(path)/data", time: time) { store in
                let account = try await store.newAccount("anna")
                try await store.accounts.beginSecondFactor(of: account)
                guard case .settingUp(let password) = try await store.accounts.secondFactor(of: account) else { return }
                codes = try await store.accounts.confirmSecondFactor(code(password), of: account)
                _ = try await store.backUp(to: "\(path)/backup")
            }
            let text = try await DatabaseQueue(path: "\(path)/data/server.sqlite").read { db in
                "\(try Row.fetchAll(db, sql: "SELECT * FROM recoveryCode"))"
            }
            for code in codes { #expect(!text.contains(code.text)) }
            _ = try await ServerRestore(from: "\(path)/backup", to: "\(path)/new").run()
            try await withStore(at: "\(path)/new", time: time) { store in
                let factor = try await store.accounts.secondFactor(of: store.accounts.account(named: "anna"))
                #expect(factor == .on(recoveryCodes: 0))
            }
        }
    }
}
