import Basics
import Chunking
import CloudModel
import CloudProtocol
import Foundation
import GRDB
import ServerSupport
import TestSupport

@testable import ServerStorage

/// A server with rows in every table.
struct FullServer {
    let account: AccountID
    let token: DeviceToken
    let parts: [ChunkBatch.Part]

    /// - Parameter isLarge: Whether logs and chunks have more rows than one page of a migration.
    init(in store: ServerStore, time: SettableTime, isLarge: Bool) async throws {
        account = try await store.newAccount("anna", quota: 1 << 30)
        _ = try await store.newAccount("berta")
        _ = try await store.newAccount("carl")
        // The last number of accounts and containers was in use, and is used no more.
        try await store.removeAccount("carl")
        let grant = DeviceGrant(scope: .read, expires: time.now().split.seconds + 86_400)
        let code = try await store.accounts.addCode(for: "anna", grant: grant)
        token = try DeviceToken(await store.devices.signIn(code: code, device: "reader").token).orThrow()
        _ = try await store.accounts.addCode(for: "berta")
        var documents = Documents(store, account, seed: 1)
        let content = documents.content(chunks: isLarge ? 300 : 12)
        parts = content.parts
        try await documents.put(parts)
        _ = try await documents.create(content.reference)
        try await Self.append(isLarge ? 600 : 20, to: store, account)
        try await store.logs.createContainer(ContainerName("notes").orThrow(), of: account)
        try await store.removeContainer(ContainerName("notes").orThrow(), ofAccount: "anna")
        try await Self.addAccess(to: store, account, content.reference, time)
    }

    private static func append(_ count: Int, to store: ServerStore, _ account: AccountID) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                var random = SeededGenerator(seed: UInt64(number))
                let key = number.isMultiple(of: 2) ? AppendKey.random(using: &random) : nil
                let payload = random.bytes(20)
                group.addTask { _ = try await store.logs.append(payload, key: key, to: .cloudDocs, of: account) }
            }
            try await group.waitForAll()
        }
    }

    private static func addAccess(
        to store: ServerStore, _ account: AccountID, _ content: ContentReference, _ time: SettableTime
    ) async throws {
        let code = try await store.accounts.addCode(for: "anna")
        try await store.sessions.openSession(code: code, browser: "Firefox", secret: [1])
        var random = SeededGenerator(seed: 3)
        _ = try await store.links.add(
            LinkToken.random(using: &random), to: content, name: ItemName("plan.pdf"),
            in: .cloudDocs, of: account, lifetime: .seconds(86_400), password: "secret")
        // Creates the secret for challenges.
        _ = try await store.sessions.challenges()
        try await store.database.commit { db in
            try db.execute(
                """
                INSERT INTO passkey (account, credential, key, domain, counter, name, created) VALUES (?, ?, ?, ?, ?, ?, ?)
                """, [account.value, Data([1, 2]), Data([3, 4]), "example.org", 7, "key", Int64(1_800_000_000)])
            try db.execute("INSERT INTO attempt (key, until) VALUES (?, ?)", [Data([5]), Int64(1_800_000_000)])
            try db.execute(
                "INSERT INTO usedChallenge (challenge, expires) VALUES (?, ?)", [Data([6]), Int64(1_800_000_000)])
        }
        try await store.accounts.beginSecondFactor(of: account)
        guard case .settingUp(let password) = try await store.accounts.secondFactor(of: account) else {
            throw NoDevice()
        }
        let step = OneTimePassword.step(at: time.now().split.seconds)
        _ = try await store.accounts.confirmSecondFactor(password.code(counter: UInt64(step)), of: account)
    }
}

extension Optional {
    func orThrow() throws -> Wrapped {
        guard let self else { throw CocoaError(.coderValueNotFound) }
        return self
    }
}

/// Returns all rows of a server in a directory, by table, as text; of numbered tables with the last number as well.
/// Read with SQLite alone, to be independent of the tested code.
func dump(_ path: String) throws -> [String: [String]] {
    try DatabaseQueue(path: "\(path)/server.sqlite").read { db in
        let tables = try String.fetchAll(
            db,
            sql: """
                SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'grdb_%'
                """)
        var rows: [String: [String]] = [:]
        for table in tables where !StoredTable.ownOfDatabase.contains(table) {
            rows[table] = try Row.fetchAll(db, sql: "SELECT * FROM \(table)").map { row in
                row.filter { !(StoredTable.assigned[table] ?? []).contains($0.0) }.map { "\($0.0)=\($0.1)" }
                    .joined(separator: " ")
            }.sorted()
        }
        rows["numbers"] = try Row.fetchAll(db, sql: "SELECT name, seq FROM sqlite_sequence ORDER BY name").map {
            "\($0)"
        }
        return rows
    }
}
