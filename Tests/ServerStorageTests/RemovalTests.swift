import CloudModel
import CloudProtocol
import Foundation
import ServerStorage
import TestSupport
import Testing

@Suite("Removing from a server")
struct RemovalTests {
    @Test("removing an account removes all of its data and no other account's")
    func account() async throws {
        try await withFolder { path in
            try await withStore(at: path) { store in
                let (anna, berta) = (try await store.newAccount("anna"), try await store.newAccount("berta"))
                for account in [anna, berta] {
                    try await store.chunks.put([part(1, [1, 2, 3])], in: .cloudDocs, of: account)
                    for number in UInt8(0)..<3 {
                        _ = try await store.logs.append([number], key: nil, to: .cloudDocs, of: account)
                    }
                }
                _ = try await store.accounts.addCode(for: "anna")
                try await store.removeAccount("anna")
                #expect(try await store.accounts.list().map(\.name) == ["berta"])
                #expect(try await store.devices.list().map(\.account) == ["berta"])
                #expect(try FileManager.default.contentsOfDirectory(atPath: "\(path)/chunks") == ["2"])
                let isThere = try await store.holds([part(1, [1, 2, 3])], of: berta)
                #expect(isThere)
                // An account number is never used again, because data with that number belongs to the removed account.
                let next = try await store.newAccount("anna")
                #expect(next.value == 3)
            }
        }
    }

    @Test("removing a container removes its log and chunks, frees its quota, and changes the cloud's identity")
    func container() async throws {
        try await withFolder { path in
            try await withStore(at: path) { store in
                let account = try await store.newAccount("anna", quota: 20_000)
                let notes = try #require(ContainerName("notes"))
                try await store.logs.createContainer(notes, of: account)
                for name in [notes, .cloudDocs] {
                    try await store.chunks.put([part(1, [1, 2, 3])], in: name, of: account)
                    _ = try await store.logs.append([9], key: nil, to: name, of: account)
                }
                let before = try await store.accounts.describeCloud(of: account)
                try await store.removeContainer(notes, ofAccount: "anna")
                #expect(try await store.logs.containers(of: account) == [.cloudDocs])
                #expect(
                    try await store.accounts.list().first?.used == UInt64(StorageCost.chunk(3) + StorageCost.entry([9]))
                )
                let after = try await store.accounts.describeCloud(of: account)
                #expect(after.former == [before.identity: ["CloudDocs": 1, "notes": 0]])
                // A container that is created again is empty, and a device that has read the old one is still ahead of the log.
                try await store.logs.createContainer(notes, of: account)
                #expect(try await store.logs.page(of: notes, after: .zero, limit: 9, account: account).payloads.isEmpty)
                #expect(
                    try await store.chunks.missing([part(1, []).id], in: notes, of: account) == [part(1, []).id])
            }
        }
    }

    @Test("a cloud whose identity changed twice keeps, for each identity, the containers that are left")
    func twice() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            let (one, two) = (try #require(ContainerName("one")), try #require(ContainerName("two")))
            for name in [one, two] {
                try await store.logs.createContainer(name, of: account)
                _ = try await store.logs.append([1], key: nil, to: name, of: account)
            }
            let first = try await store.accounts.describeCloud(of: account).identity
            try await store.removeContainer(one, ofAccount: "anna")
            let second = try await store.accounts.describeCloud(of: account).identity
            try await store.removeContainer(two, ofAccount: "anna")
            let former = try #require(try await store.accounts.describeCloud(of: account).former)
            #expect(Set(former.keys) == [first, second])
            #expect(former[first]?["two"] == 0 && former[second]?["two"] == 0)
        }
    }
}
