import CloudProtocol
import Foundation
import ServerStorage
import TestSupport
import Testing

@Suite("A database that was restored by its engine's own tools", .eachEngine)
struct RestoredTests {
    @Test(
        "its clouds keep their identities, and no device or code has access before it is confirmed"
    )
    func renewed() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            let answer = try await store.devices.signIn(code: store.accounts.addCode(for: "anna"), device: "laptop")
            let token = try #require(DeviceToken(answer.token))
            let code = try await store.accounts.addCode(for: "anna")
            let before = try await store.accounts.makeCloud(of: account)
            try await store.markRestored(trustsDevices: false)
            #expect(try await store.accounts.cloud(of: account) == before)
            await #expect(throws: StorageError.self) { _ = try await store.devices.device(with: token) }
            await #expect(throws: StorageError.self) { _ = try await store.devices.signIn(code: code, device: "thief") }
            _ = try await store.devices.confirm(device: nil)
            _ = try await store.devices.device(with: token)
            let next = try await store.devices.signIn(code: store.accounts.addCode(for: "anna"), device: "new")
            #expect(next.device > answer.device + 100)
        }
    }

    @Test("it is prepared while no other process uses it")
    func alone() async throws {
        try await withFolder { path in
            try await withStore(at: path) { _ = try await $0.newAccount("anna") }
            // Each process of a cluster has a separate cache.
            let cache = "\(path)-cache"
            defer { try? FileManager.default.removeItem(atPath: cache) }
            var place = try ServerPlace.test(path)
            if place.database != nil { place.directory = cache }
            func open() throws -> ServerStore {
                try ServerStore(place, serving: true, isAlone: true, log: quiet)
            }
            try await withStore(at: path) { _ in
                #expect { _ = try open() } throws: { ($0 as? StorageError)?.code == .inUse }
            }
            let alone = try open()
            try await alone.markRestored(trustsDevices: false)
            try await alone.close()
        }
    }
}
