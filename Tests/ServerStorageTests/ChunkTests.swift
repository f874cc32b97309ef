import Chunking
import CloudModel
import CloudProtocol
import Foundation
import ServerSupport
import Testing

@testable import ServerStorage

@Suite("Chunks of a server", .eachEngine, .inFilesAndInABucket)
struct ChunkTests {
    @Test("a chunk of one account does not exist for others")
    func isolation() async throws {
        try await withStore { store in
            let (anna, berta) = (try await store.newAccount("anna"), try await store.newAccount("berta"))
            let secret = part(1, Array("secret".utf8))
            try await store.chunks.put([secret], in: .cloudDocs, of: anna)
            #expect(try await store.chunks.missing([secret.id], in: .cloudDocs, of: berta) == [secret.id])
            #expect(try await store.chunks.place(of: secret.id, in: .cloudDocs, of: berta) == nil)
            // Storing the chunk costs berta the same as a new chunk.
            let before = try await store.accounts.space(of: berta)
            try await store.chunks.put([secret], in: .cloudDocs, of: berta)
            let after = try await store.accounts.list().first { $0.name == "berta" }
            #expect(after?.used == UInt64(StorageCost.chunk(6)), "\(before)")
        }
    }

    @Test(
        "the quota counts stored bytes: a repeat is free, a chunk that does not fit changes nothing, and a batch is atomic"
    )
    func quota() async throws {
        try await withStore { store in
            let cost = UInt64(StorageCost.chunk(40))
            let account = try await store.newAccount("anna", quota: cost * 2 + cost / 2)
            let forty = [UInt8](repeating: 1, count: 40)
            for _ in 0..<5 { try await store.chunks.put([part(1, forty)], in: .cloudDocs, of: account) }
            await #expect(throws: StorageError.self) {
                try await store.chunks.put([part(2, forty), part(3, forty)], in: .cloudDocs, of: account)
            }
            #expect(try await store.chunks.missing([part(2, []).id], in: .cloudDocs, of: account).count == 1)
            try await store.chunks.put([part(2, forty)], in: .cloudDocs, of: account)
            #expect(try await store.accounts.list().first?.used == cost * 2)
            let space = SpaceResponse(total: cost * 2 + cost / 2, free: cost / 2)
            #expect(try await store.accounts.space(of: account) == space)
        }
    }

    @Test("concurrent puts cannot exceed the quota together")
    func concurrentQuota() async throws {
        try await withStore { store in
            let share = UInt64(StorageCost.chunk(10)) * 10
            let account = try await store.newAccount("anna", quota: share)
            let stored = await withTaskGroup(of: Bool.self) { group in
                for number in UInt64(1)...30 {
                    group.addTask {
                        do {
                            try await store.chunks.put(
                                [part(number, [UInt8](repeating: 1, count: 10))], in: .cloudDocs, of: account)
                            return true
                        } catch { return false }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(stored == 10)
            #expect(try await store.accounts.list().first?.used == share)
        }
    }

    @Test("a chunk that was found damaged is missing until it is put again, and then has the new bytes")
    func distrust() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            let (bad, good) = (part(1, [1, 2, 3]), part(1, [4, 5]))
            try await store.chunks.put([bad], in: .cloudDocs, of: account)
            try await store.chunks.put([good], in: .cloudDocs, of: account)
            let kept = try #require(try await store.chunks.place(of: bad.id, in: .cloudDocs, of: account))
            #expect(try await store.chunks.read(kept, 0..<kept.size) == bad.frame)
            try await store.chunks.distrust([bad.id], in: .cloudDocs, of: account)
            #expect(try await store.chunks.missing([bad.id], in: .cloudDocs, of: account) == [bad.id])
            try await store.chunks.put([good], in: .cloudDocs, of: account)
            let place = try #require(try await store.chunks.place(of: bad.id, in: .cloudDocs, of: account))
            #expect(try await store.chunks.read(place, 0..<place.size) == good.frame)
            #expect(try await store.chunks.missing([bad.id], in: .cloudDocs, of: account).isEmpty)
            #expect(try await store.accounts.list().first?.used == UInt64(StorageCost.chunk(2)))
        }
    }

    @Test("a missing frame is a missing chunk, and a truncated one is damaged")
    func lostFrames() async throws {
        try await withFolder { path in
            try await withStore(at: path) { store in
                let account = try await store.newAccount("anna")
                let whole = part(1, [1, 2, 3])
                try await store.chunks.put([whole], in: .cloudDocs, of: account)
                let place = try #require(try await store.chunks.place(of: whole.id, in: .cloudDocs, of: account))
                let frames = try Frames(at: path)
                try frames.set(place.name, [1])
                for range in [0..<3, 1..<3] {
                    await #expect { try await store.chunks.read(place, range) } throws: {
                        ($0 as? StorageError)?.code == .damaged
                    }
                }
                try frames.set(place.name, nil)
                let bytes = try await store.chunks.read(place, 0..<3)
                #expect(bytes == nil)
            }
        }
    }

    @Test("a part of a frame can be read")
    func range() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            try await store.chunks.put([part(1, Array(0..<100))], in: .cloudDocs, of: account)
            let place = try #require(try await store.chunks.place(of: part(1, []).id, in: .cloudDocs, of: account))
            #expect(try await store.chunks.read(place, 10..<20) == Array(10..<20))
            #expect(try await store.chunks.read(place, 100..<100) == [])
        }
    }

    @Test("small chunks count with the blocks they use: twenty thousand chunks of one byte exceed a quota of five MiB")
    func costs() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna", quota: 5 << 20)
            var stored = 0
            for batch in 0..<20 {
                let parts = (0..<1_024).map { part(UInt64(batch * 1_024 + $0), [1]) }
                do { try await store.chunks.put(parts, in: .cloudDocs, of: account) } catch { break }
                stored += parts.count
            }
            #expect(stored == 1_024)
            await #expect(throws: StorageError.self) {
                try await store.logs.append([], key: nil, to: .cloudDocs, of: account)
            }
            let before = try await store.accounts.list().first?.used ?? 0
            _ = try await store.logs.append([1], key: nil, to: .cloudDocs, of: account)
            #expect(try await store.accounts.list().first?.used == before + UInt64(StorageCost.entry([1])))
        }
    }

    @Test("a chunk whose bytes do not match its name is not stored")
    func wrongName() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            let frame = ChunkFrame.encode([1, 2, 3])
            await #expect { try await store.chunks.put([part(1, frame)], in: .cloudDocs, of: account) } throws: {
                ($0 as? StorageError)?.code == .invalid
            }
            let right = ChunkBatch.Part(id: Digest.of([1, 2, 3]), frame: frame)
            try await store.chunks.put([right], in: .cloudDocs, of: account)
            #expect(try await store.chunks.missing([right.id], in: .cloudDocs, of: account).isEmpty)
        }
    }
}

@Suite("Verification of chunks before they are stored", .inFilesAndInABucket)
struct ChunkVerificationTests {
    private let plain = [UInt8](repeating: 65, count: 200_000)

    private func expectInvalid(_ parts: [ChunkBatch.Part], _ store: ServerStore, _ account: AccountID) async {
        do {
            try await store.chunks.put(parts, in: .cloudDocs, of: account)
            Issue.record("a wrong chunk was kept")
        } catch let error as StorageError { #expect(error.code == .invalid) } catch { Issue.record(error) }
    }

    @Test("a compressed chunk that inflates to bytes not matching its name is refused, with its whole batch")
    func compressed() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            let right = ChunkBatch.Part(id: Digest.of(plain), frame: ChunkFrame.encode(plain))
            #expect(right.frame.count < 1_000, "it is compressed")
            let other = Digest.of([UInt8](repeating: 66, count: 9))
            await expectInvalid([right, ChunkBatch.Part(id: other, frame: right.frame)], store, account)
            let absent = try await store.chunks.missing([right.id, other], in: .cloudDocs, of: account)
            #expect(absent.count == 2)
            try await store.chunks.put([right], in: .cloudDocs, of: account)
            let missing = try await store.chunks.missing([right.id], in: .cloudDocs, of: account)
            #expect(missing.isEmpty)
        }
    }

    @Test("a compressed chunk with any byte changed is refused, or still matches its name")
    func damaged() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            let plain = (0..<3_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
            let frame = ChunkFrame.encode(plain)
            let id = Digest.of(plain)
            for index in stride(from: 5, to: frame.count, by: 3) {
                var changed = frame
                changed[index] ^= 0x55
                let isRight = (try? ChunkFrame.decode(changed, expecting: id)) != nil
                // A frame in an unknown newer format is accepted.
                guard !isRight, (try? ChunkFrame.plainLength(of: changed)) != nil else { continue }
                await expectInvalid([ChunkBatch.Part(id: id, frame: changed)], store, account)
            }
        }
    }

    @Test("the frames of one request inflate to a bounded number of bytes, and one that is sent twice is checked once")
    func inflated() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            let frame = ChunkFrame.encode([UInt8](repeating: 0, count: ChunkFrame.maximumPlainLength))
            let many = (UInt64(1)...17).map { part($0, frame) }
            await #expect { try await store.chunks.put(many, in: .cloudDocs, of: account) } throws: {
                ($0 as? StorageError)?.code == .tooLarge
            }
            // Decompressing it a thousand times would take minutes.
            let right = ChunkBatch.Part(id: .of(plain), frame: ChunkFrame.encode(plain))
            try await store.chunks.put(Array(repeating: right, count: 1_000), in: .cloudDocs, of: account)
        }
    }

    @Test("a chunk is distrusted if its frame is wrong, and not for what an entry says about it")
    func distrustIfWrong() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            let right = ChunkBatch.Part(id: .of(plain), frame: ChunkFrame.encode(plain))
            try await store.chunks.put([right], in: .cloudDocs, of: account)
            try await store.chunks.distrust(ifWrong: right, in: .cloudDocs, of: account)
            #expect(try await store.chunks.missing([right.id], in: .cloudDocs, of: account).isEmpty)
            let wrong = ChunkBatch.Part(id: right.id, frame: ChunkFrame.encode([1]))
            try await store.chunks.distrust(ifWrong: wrong, in: .cloudDocs, of: account)
            #expect(try await store.chunks.missing([right.id], in: .cloudDocs, of: account) == [right.id])
        }
    }

    @Test("a small frame that inflates to 64 MiB of other bytes is refused")
    func bomb() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            let frame = ChunkFrame.encode([UInt8](repeating: 0, count: ChunkFrame.maximumPlainLength))
            #expect(frame.count < 64 << 10)
            await expectInvalid([ChunkBatch.Part(id: Digest.of([1]), frame: frame)], store, account)
        }
    }
}
