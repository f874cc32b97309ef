import CloudModel
import CloudProtocol
import Foundation
import ServerStorage
import TestSupport
import Testing

@Suite("Owners and disabled accounts", .eachEngine)
struct OwnerStoreTests {
    @Test("the mark of an owner is stored, listed, seen by the sessions of the account, and removed")
    func mark() async throws {
        try await withStore { store in
            _ = try await store.newAccount("anna")
            _ = try await store.newAccount("ben")
            let secret = [UInt8](repeating: 7, count: 32)
            try await store.sessions.openSession(
                code: store.accounts.addCode(for: "anna"), browser: "b", secret: secret)
            #expect(try await store.sessions.session(secret: secret)?.isOwner == false)
            try await store.accounts.setOwner(true, of: "anna")
            #expect(try await store.accounts.list().map(\.isOwner) == [true, false])
            #expect(try await store.sessions.session(secret: secret)?.isOwner == true)
            try await store.accounts.setOwner(false, of: "anna")
            #expect(try await store.accounts.list().map(\.isOwner) == [false, false])
            #expect(try await store.sessions.session(secret: secret)?.isOwner == false)
            await #expect(throws: StorageError.self) { try await store.accounts.setOwner(true, of: "carl") }
        }
    }

    @Test("a disabled account's devices, browsers, codes and links are refused, and work again once it is enabled")
    func disabled() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            let answer = try await store.devices.signIn(code: store.accounts.addCode(for: "anna"), device: "laptop")
            let token = try #require(DeviceToken(answer.token))
            let device = try #require(try await store.devices.device(with: token))
            let secret = [UInt8](repeating: 7, count: 32)
            try await store.sessions.openSession(
                code: store.accounts.addCode(for: "anna"), browser: "b", secret: secret)
            let session = try #require(try await store.sessions.session(secret: secret))
            let code = try await store.accounts.addCode(for: "anna")
            var random = SeededGenerator(seed: 1)
            let link = LinkToken.random(using: &random)
            _ = try await store.links.add(
                link, to: ContentReference(digest: Digest(words: (1, 2, 3, 4)), size: 0, layout: .empty),
                name: ItemName("a"), in: .cloudDocs, of: account, lifetime: .seconds(600), password: nil)
            try await store.accounts.setDisabled(true, of: "anna")
            #expect(try await store.accounts.record(of: account)?.isDisabled == true)
            let refusal = await #expect(throws: StorageError.self) { try await store.devices.device(with: token) }
            #expect(refusal?.code == .unauthorized && refusal?.message.contains("disabled") == true)
            #expect(try await store.devices.isSignedIn(device) == false)
            #expect(try await store.sessions.session(secret: secret) == nil)
            #expect(try await store.sessions.isOpen(session) == false)
            #expect(try await store.links.link(link) == nil)
            await #expect(throws: StorageError.self) { try await store.devices.signIn(code: code, device: "x") }
            await #expect(throws: StorageError.self) {
                try await store.sessions.openSession(code: code, browser: "b", secret: [1])
            }
            try await store.accounts.setDisabled(false, of: "anna")
            #expect(try await store.devices.device(with: token)?.device == device.device)
            #expect(try await store.devices.isSignedIn(device))
            #expect(try await store.sessions.session(secret: secret) == session)
            #expect(try await store.sessions.isOpen(session))
            #expect(try await store.links.link(link) != nil)
            #expect(try await store.devices.signIn(code: code, device: "x").account == "anna")
        }
    }

    @Test("a page of the accounts has their figures, ordered by name")
    func page() async throws {
        try await withStore { store in
            for name in ["carl", "anna", "ben"] { _ = try await store.newAccount(name, quota: 1 << 30) }
            try await store.accounts.add("dora")
            let page = try await store.accounts.page(from: 1, limit: 2)
            #expect(page.total == 4 && page.accounts.map(\.name) == ["ben", "carl"])
            #expect(page.accounts.map(\.quota) == [1 << 30, 1 << 30] && page.accounts.map(\.devices) == [1, 1])
            #expect(page.accounts.allSatisfy { $0.seen != nil })
            let last = try #require(try await store.accounts.list().last)
            #expect(last.name == "dora" && last.quota == nil && last.seen == nil && last.devices == 0)
            #expect(try await store.accounts.record(of: last.id) == last)
            #expect(try await store.accounts.record(of: AccountID(99)) == nil)
        }
    }

    @Test("a database put back to an earlier moment has no owner until the command line names one")
    func restored() async throws {
        try await withStore { store in
            _ = try await store.newAccount("anna")
            try await store.accounts.setOwner(true, of: "anna")
            try await store.markRestored(trustsDevices: true)
            #expect(try await store.accounts.list().map(\.isOwner) == [true])
            try await store.markRestored(trustsDevices: false)
            #expect(try await store.accounts.list().map(\.isOwner) == [false])
        }
    }
}
