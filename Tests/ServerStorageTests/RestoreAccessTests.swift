import CloudModel
import CloudProtocol
import Foundation
import ServerStorage
import TestSupport
import Testing

@Suite("Access to a restored server")
struct RestoreAccessTests {
    private struct Secrets {
        let stolen: DeviceToken
        let laptop: DeviceToken
        let code: SignInCode
        let link: LinkToken
        let session: [UInt8]
    }

    /// Backs up a server, and then revokes, withdraws, ends or uses everything known to it except the laptop.
    private func backedUp(to backup: String, _ store: ServerStore) async throws -> Secrets {
        let account = try await store.newAccount("anna")
        func token(_ name: String) async throws -> DeviceToken {
            let answer = try await store.devices.signIn(code: store.accounts.addCode(for: "anna"), device: name)
            return try #require(DeviceToken(answer.token))
        }
        var random = SeededGenerator(seed: 1)
        let link = LinkToken.random(using: &random)
        _ = try await store.links.add(
            link, to: ContentReference(digest: Digest(words: (1, 2, 3, 4)), size: 0, layout: .empty),
            name: ItemName("plan.txt"), in: .cloudDocs, of: account, lifetime: .seconds(86_400),
            password: nil)
        let session = [UInt8](repeating: 7, count: 32)
        try await store.sessions.openSession(
            code: store.accounts.addCode(for: "anna"), browser: "Firefox", secret: session)
        let secrets = Secrets(
            stolen: try await token("stolen"), laptop: try await token("laptop"),
            code: try await store.accounts.addCode(for: "anna"), link: link, session: session)
        _ = try await store.backUp(to: backup)
        #expect(try await store.devices.revoke(device: secrets.stolen.device))
        _ = try await store.devices.signIn(code: secrets.code, device: "used")
        for link in try await store.links.list(ofAccount: "anna") { _ = try await store.links.withdraw(link.id) }
        for session in try await store.sessions.list(ofAccount: "anna") {
            _ = try await store.sessions.endSession(session.id)
        }
        return secrets
    }

    private func withRestored(
        trusting: Bool = false, _ body: (ServerStore, Secrets) async throws -> Void
    ) async throws {
        try await withFolder { path in
            let (backup, other) = ("\(path)-backup", "\(path)-other")
            defer { for path in [backup, other] { try? FileManager.default.removeItem(atPath: path) } }
            var secrets: Secrets?
            try await withStore(at: path) { secrets = try await backedUp(to: backup, $0) }
            _ = try await ServerRestore(from: backup, to: other, trustsDevices: trusting).run()
            let known = try #require(secrets)
            try await withStore(at: other) { try await body($0, known) }
        }
    }

    private func expectUnauthorized(_ body: () async throws -> Void) async {
        do {
            try await body()
            Issue.record("it was let in")
        } catch let error as StorageError { #expect(error.code == .unauthorized, "\(error)") } catch {
            Issue.record(error)
        }
    }

    @Test("no device, link, code or browser of a backup has access before its owner confirms it")
    func suspended() async throws {
        try await withRestored { store, secrets in
            for token in [secrets.stolen, secrets.laptop] {
                await expectUnauthorized { _ = try await store.devices.device(with: token) }
            }
            await expectUnauthorized { _ = try await store.devices.signIn(code: secrets.code, device: "thief") }
            let link = try await store.links.link(secrets.link)
            #expect(link == nil)
            let session = try await store.sessions.session(secret: secrets.session)
            #expect(session == nil)
            let devices = try await store.devices.list()
            #expect(devices.map(\.isSuspended) == devices.map { _ in true })
        }
    }

    @Test("a confirmed device and a confirmed link work again; a revoked device is not confirmed with the others")
    func confirmed() async throws {
        try await withRestored { store, secrets in
            let isRevoked = try await store.devices.revoke(device: secrets.stolen.device)
            #expect(isRevoked)
            let confirmed = try await store.devices.confirm(device: secrets.laptop.device)
            #expect(confirmed == 1)
            let laptop = try await store.devices.device(with: secrets.laptop)?.device
            #expect(laptop == secrets.laptop.device)
            _ = try await store.devices.confirm(device: nil)
            let stolen = try await store.devices.device(with: secrets.stolen)
            #expect(stolen == nil)
            let links = try await store.links.confirm(nil)
            #expect(links == 1)
            let link = try await store.links.link(secrets.link)
            #expect(link != nil)
        }
    }

    @Test("the number of a device that signed in since the backup is not reused")
    func numbers() async throws {
        try await withRestored { store, _ in
            let before = try await store.devices.list().map(\.id).max() ?? 0
            let answer = try await store.devices.signIn(code: store.accounts.addCode(for: "anna"), device: "new")
            #expect(answer.device > before + 100)
        }
    }

    @Test("an owner who trusts the backup's devices confirms all of them at once; codes and browser sessions still end")
    func trusting() async throws {
        try await withRestored(trusting: true) { store, secrets in
            let laptop = try await store.devices.device(with: secrets.laptop)
            #expect(laptop != nil)
            let link = try await store.links.link(secrets.link)
            #expect(link != nil)
            let session = try await store.sessions.session(secret: secrets.session)
            #expect(session == nil)
            await expectUnauthorized { _ = try await store.devices.signIn(code: secrets.code, device: "thief") }
        }
    }
}
