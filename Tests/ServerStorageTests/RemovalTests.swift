import CloudModel
import CloudProtocol
import Cryptography
import Foundation
import ServerStorage
import ServerSupport
import TestSupport
import Testing

@Suite("Removing from a server", .eachEngine, .inFilesAndInABucket)
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
                let frames = try Frames(at: path)
                #expect(Set(frames.names.compactMap { $0.split(separator: "/").first }) == ["2"])
                let isThere = try await store.holds([part(1, [1, 2, 3])], of: berta)
                #expect(isThere)
                // An account number is never reused, because data with that number belongs to the removed account.
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
                    _ = try await store.logs.append([1], key: nil, to: name, of: account)
                }
                for name in [notes, .cloudDocs] { _ = try await store.trees.wholeView(of: name, of: account) }
                try await store.removeContainer(notes, ofAccount: "anna")
                #expect(try await store.logs.containers(of: account) == [.cloudDocs])
                #expect(try foldedContainers(in: path) == ["1"])
                #expect(
                    try await store.accounts.list().first?.used == UInt64(StorageCost.chunk(3) + StorageCost.entry([1]))
                )
                // A recreated container is empty, and a device that has read the old one is still ahead of the log.
                try await store.logs.createContainer(notes, of: account)
                #expect(try await store.logs.page(of: notes, after: .zero, limit: 9, account: account).payloads.isEmpty)
                await #expect {
                    _ = try await store.logs.page(
                        of: notes, after: .start.following([1]), limit: 9, account: account)
                } throws: {
                    ($0 as? StorageError)?.code == .diverged
                }
                #expect(
                    try await store.chunks.missing([part(1, []).id], in: notes, of: account) == [part(1, []).id])
            }
        }
    }

    /// Returns the numbers of containers with a folded log.
    private func foldedContainers(in path: String) throws -> Set<Substring> {
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(path)/folded")
        return Set(names.compactMap { $0.split(separator: "-").first })
    }

    @Test("a start removes folded logs of containers that are no more and of earlier releases, and no others")
    func strays() async throws {
        try await withFolder { path in
            try await withStore(at: path) { store in
                let account = try await store.newAccount("anna")
                _ = try await store.trees.wholeView(of: .cloudDocs, of: account)
            }
            let (kept, files) = (try foldedFile(in: path), FileManager.default)
            let name = try #require(kept.split(separator: "/").last)
            let strays = ["folded/2\(name.dropFirst())", "folded/2\(name.dropFirst())-wal", "folded/1.sqlite"]
            for stray in strays { try Data([1]).write(to: URL(filePath: "\(path)/\(stray)")) }
            // An owner's command leaves them to the serving process, possibly an earlier release.
            try await ServerStore(.test(path), serving: false, log: quiet).close()
            func present() -> [String] { strays.filter { files.fileExists(atPath: "\(path)/\($0)") } }
            #expect(present() == strays)
            try await withStore(at: path) { _ in
                #expect(present() == [])
                #expect(files.fileExists(atPath: kept))
            }
        }
    }
}
