import Basics
import CloudModel
import ContainerLog
import ServerStorage
import ServerSupport
import TestSupport
import Testing

@Suite("Settings and the quota of an account", .eachEngine)
struct KeyValueQuotaTests {
    private func entry(_ number: UInt64, _ changes: [Change]) throws -> [UInt8] {
        try ChangeBatch(
            device: DeviceID(1), deviceName: "d", deviceSequence: number, time: Timestamp(seconds: 1_800_000_000),
            changes: changes
        ).encoded()
    }

    private func setting(_ number: UInt64, bytes: Int) throws -> [UInt8] {
        let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: bytes)
        return try entry(number, [.setValue(key: "theme", value: value, time: .zero)])
    }

    private func used(_ store: ServerStore) async throws -> UInt64? { try await store.accounts.list().first?.used }

    @Test("settings do not count, and are accepted when documents have used up the quota; other entries count")
    func settings() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna", quota: 10)
            _ = try await store.logs.append(setting(1, bytes: 1_000), key: nil, to: .cloudDocs, of: account)
            #expect(try await used(store) == 0)
            let both = try entry(
                2,
                [
                    .setValue(key: "theme", value: nil, time: .zero),
                    .delete(ItemID(high: 1 << 63, low: 1), base: nil),
                ])
            _ = try await store.logs.append(both, key: nil, to: .cloudDocs, of: account)
            let counted = try #require(try await used(store))
            #expect(counted >= UInt64(both.count))
            _ = try await store.logs.append(setting(3, bytes: 1_000), key: nil, to: .cloudDocs, of: account)
            #expect(try await used(store) == counted)
            try await store.removeContainer(.cloudDocs, ofAccount: "anna")
            #expect(try await used(store) == 0)
        }
    }

    @Test("settings beyond their allowance count like everything else")
    func allowance() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            var number: UInt64 = 0
            while try await used(store) == 0 {
                number += 1
                _ = try await store.logs.append(setting(number, bytes: 1 << 20), key: nil, to: .cloudDocs, of: account)
                try #require(number < 100, "nothing counted")
            }
            #expect(number == UInt64(AccountStore.keyValueAllowance >> 20), "each has a few bytes more than its value")
        }
    }
}
