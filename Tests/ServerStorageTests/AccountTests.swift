import Basics
import CloudModel
import CloudProtocol
import GRDB
import ServerStorage
import TestSupport
import Testing

@Suite("Accounts and devices of a server", .eachEngine)
struct AccountTests {
    private func expect(_ code: StorageError.Code, _ body: () async throws -> Void) async {
        do {
            try await body()
            Issue.record("expected \(code)")
        } catch let error as StorageError { #expect(error.code == code, "\(error)") } catch { Issue.record(error) }
    }

    @Test(
        "a name has letters of any script, is found however its accents are typed, and is not added again in another case"
    )
    func namesOfAllScripts() async throws {
        try await withStore { store in
            for name in ["Ben Müller", "日本語", "Анна", "o'brien@home.example"] { try await store.accounts.add(name) }
            let code = try await store.accounts.addCode(for: "Ben Mu\u{308}ller")
            let answer = try await store.devices.signIn(code: code, device: "laptop", account: "Ben Mu\u{308}ller")
            #expect(answer.account == "Ben Müller" && answer.account.utf8.count == 11)
            #expect(try await store.devices.list(of: "Ben Mu\u{308}ller").count == 1)
            for name in [
                "ben müller", "BEN MU\u{308}LLER", "", " a", "a ", "a  b", "a\u{A0}b", "a\nb", "a\u{202E}b",
                "a\u{200D}b",
                "\u{308}a", "a\u{E000}", String(repeating: "ü", count: 65), "a\u{0}",
            ] { await expect(.invalid) { try await store.accounts.add(name) } }
            try await store.accounts.add(String(repeating: "ü", count: 64))
        }
    }

    @Test("a code admits one device, once, within a day")
    func codes() async throws {
        let time = SettableTime()
        try await withStore(time: time) { store in
            try await store.accounts.add("anna")
            let code = try await store.accounts.addCode(for: "anna")
            let answer = try await store.devices.signIn(code: code, device: "laptop")
            #expect(answer.account == "anna")
            await expect(.unauthorized) { _ = try await store.devices.signIn(code: code, device: "thief") }
            let late = try await store.accounts.addCode(for: "anna")
            time.advance(by: .seconds(86_401))
            await expect(.unauthorized) { _ = try await store.devices.signIn(code: late, device: "late") }
            var random = SeededGenerator(seed: 1)
            await expect(.unauthorized) {
                _ = try await store.devices.signIn(code: SignInCode.random(using: &random), device: "guess")
            }
            #expect(try await store.devices.list().map(\.name) == ["laptop"])
        }
    }

    @Test("a token is valid until it is revoked; another device's secret is never valid")
    func tokens() async throws {
        try await withStore { store in
            try await store.accounts.add("anna")
            let answers = [
                try await store.devices.signIn(code: store.accounts.addCode(for: "anna"), device: "one"),
                try await store.devices.signIn(code: store.accounts.addCode(for: "anna"), device: "two"),
            ]
            let tokens = try answers.map { try #require(DeviceToken($0.token)) }
            for token in tokens { #expect(try await store.devices.device(with: token)?.device == token.device) }
            let mixed = try #require(DeviceToken("ubq_\(tokens[0].device)_\(Hex.encode(tokens[1].secret))"))
            #expect(try await store.devices.device(with: mixed) == nil)
            #expect(try await store.devices.revoke(device: tokens[0].device))
            #expect(try await !store.devices.revoke(device: tokens[0].device))
            #expect(try await store.devices.device(with: tokens[0]) == nil)
            #expect(try await store.devices.device(with: tokens[1]) != nil)
        }
    }

    @Test("the database contains neither tokens nor codes", .sqliteFileOnly)
    func secrets() async throws {
        try await withFolder { path in
            var secrets: [String] = []
            try await withStore(at: path) { store in
                try await store.accounts.add("anna")
                let answer = try await store.devices.signIn(code: store.accounts.addCode(for: "anna"), device: "one")
                let unused = try await store.accounts.addCode(for: "anna")
                secrets = [
                    answer.token, String(answer.token.split(separator: "_")[2]), unused.text, unused.description,
                ]
            }
            let text = try await DatabaseQueue(path: "\(path)/server.sqlite").read { db in
                let rows = try ["device", "code", "account"].map { try Row.fetchAll(db, sql: "SELECT * FROM \($0)") }
                return "\(rows)"
            }
            #expect(text.contains("anna"))
            for secret in secrets { #expect(!text.contains(secret)) }
        }
    }

    @Test("a device's name cannot send control sequences to a terminal")
    func names() async throws {
        try await withStore { store in
            try await store.accounts.add("anna")
            _ = try await store.devices.signIn(
                code: store.accounts.addCode(for: "anna"), device: "a\u{1B}[2J\nb\tc\u{202E}d e")
            #expect(try await store.devices.list().map(\.name) == ["a[2Jbcd e"])
        }
    }

    @Test("names of accounts are validated, and unique")
    func accountNames() async throws {
        try await withStore { store in
            for name in ["", "a\tb", "ä ", String(repeating: "a", count: 129)] {
                await expect(.invalid) { try await store.accounts.add(name) }
            }
            try await store.accounts.add("anna")
            await expect(.invalid) { try await store.accounts.add("anna") }
            await expect(.notFound) { _ = try await store.accounts.addCode(for: "berta") }
        }
    }

    @Test("one process serves a directory; commands run at the same time")
    func lock() async throws {
        try await withFolder { path in
            try await withStore(at: path) { store in
                await expect(.inUse) { _ = try ServerStore(.test(path), serving: true, log: quiet) }
                let beside = try ServerStore(.test(path), serving: false, log: quiet)
                try await beside.accounts.add("anna")
                try await beside.close()
                #expect(try await store.accounts.list().map(\.name) == ["anna"])
            }
        }
    }

    @Test("a database of a newer version is refused and not changed", .sqliteFileOnly)
    func newer() async throws {
        try await withFolder { path in
            try await withStore(at: path) { try await $0.accounts.add("anna") }
            try await DatabaseQueue(path: "\(path)/server.sqlite").write { db in
                try db.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('v99')")
            }
            await expect(.tooNew) { _ = try ServerStore(.test(path), serving: true, log: quiet) }
        }
    }
}
