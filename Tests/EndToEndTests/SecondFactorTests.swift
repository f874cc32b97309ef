import CloudProtocol
import Foundation
import Logging
import ServerStorage
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Second factor")
    struct SecondFactorTests {
        /// Sets up an authenticator app for the account, as the console does.
        ///
        /// - Returns: A recovery code.
        private func setUp(_ server: ServerProcess) async throws -> String {
            let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let store = try ServerStore(path: server.data, serving: false, log: log)
            let account = try await store.accounts.account(named: "anna")
            try await store.accounts.beginSecondFactor(of: account)
            guard case .settingUp(let password) = try await store.accounts.secondFactor(of: account) else {
                throw EndToEndError("no second factor is being set up")
            }
            let step = OneTimePassword.step(at: Int64(Date().timeIntervalSince1970))
            let codes = try await store.accounts.confirmSecondFactor(password.code(counter: UInt64(step)), of: account)
            try await store.close()
            return codes[0].description
        }

        @Test(
            "ubiquity login asks for the second factor if the account requires it, and the sign-in code stays valid until the factor is right"
        )
        func login() async throws {
            try await ServerProcess.with { server in
                let recovery = try await setUp(server)
                try await TestDevices.with(devices: ["A"], cloud: server.url) { test in
                    let login = ["login", server.url, "--code", try server.code()]
                    let asked = try await test.a.ubiquity(login)
                    #expect(!asked.succeeded && asked.errors.contains("--second-factor"), "\(asked)")
                    let wrong = try await test.a.ubiquity(login + ["--second-factor", "000000"])
                    #expect(!wrong.succeeded && wrong.errors.contains("is wrong"), "\(wrong)")
                    try await test.a.ubiquity(login + ["--second-factor", recovery]).text()
                } _: { test in
                    try await test.a.shell("echo one > f")
                    try await test.a.sync()
                    #expect(try server.command(["account", "totp", "reset", "anna"]).contains("off"))
                    try await test.a.ubiquity(["login", server.url, "--code", server.code()]).text()
                }
            }
        }
    }
}
