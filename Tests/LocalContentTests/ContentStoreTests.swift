import Basics
import Foundation
import Glibc
import LocalContent
import Testing

@Suite("Shards of blobs are created when they are needed")
struct ContentStoreTests {
    private func withStore(_ body: (_ folder: String, _ store: ContentStore) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "/ubiquity-content-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder, try ContentStore(directory: folder))
    }

    private func make(_ blob: BlobName, in store: ContentStore) throws { close(try store.create(blob)) }

    @Test("a name that was made is to be synced until its folder was, also after the blob was closed")
    func newNames() throws {
        try withStore { folder, store in
            let (first, second) = (BlobName(node: 1, generation: 1), BlobName(node: 2, generation: 1))
            for blob in [first, second] { try make(blob, in: store) }
            #expect(store.needsNameSync(first) && store.needsNameSync(second))
            try store.syncName(of: first)
            #expect(!store.needsNameSync(first))
            try store.rename(first, to: BlobName(node: 1, generation: 2))
            #expect(store.needsNameSync(BlobName(node: 1, generation: 2)))
            try store.remove(second)
            #expect(!store.needsNameSync(second))
            let later = try ContentStore(directory: folder)
            #expect(later.needsNameSync(first), "the process before may have made it")
            try later.syncName(of: first)
            #expect(!later.needsNameSync(first))
        }
    }

    @Test("of many new names none is taken for a durable one, and one sync of a folder covers all that were in it")
    func manyNewNames() throws {
        try withStore { _, store in
            let blobs = (0..<5_000).map { BlobName(node: UInt64($0), generation: 1) }
            for blob in blobs { try make(blob, in: store) }
            #expect(blobs.allSatisfy(store.needsNameSync))
            try store.syncName(of: blobs[0])
            #expect(!store.needsNameSync(blobs[0]) && !store.needsNameSync(blobs[1]))
            #expect(store.needsNameSync(blobs[4_999]), "it is in another folder")
        }
    }

    @Test("a new store has no shard; a blob's first write creates its own shard and no other")
    func lazily() throws {
        try withStore { folder, store in
            let blob = BlobName(node: 4096, generation: 1)
            #expect(try store.existingShards().isEmpty)
            #expect(try store.blobs(inShard: 1).isEmpty)
            try store.remove(blob)
            #expect(try store.existingShards().isEmpty)
            try make(blob, in: store)
            #expect(try store.existingShards() == [1])
            #expect(try store.blobs(inShard: 1) == [blob])
            try store.sync(blob)
            #expect(try ContentStore(directory: folder).existingShards() == [1])
        }
    }

    @Test("a blob is where its path says, for any node", arguments: [17, 255, 256, 4095, 4096, 1_052_672])
    func path(node: UInt64) throws {
        try withStore { folder, store in
            let blob = BlobName(node: node, generation: 3)
            try make(blob, in: store)
            #expect(FileManager.default.fileExists(atPath: "\(folder)/\(ContentStore.path(of: blob))"))
        }
    }

    @Test("a blob can be renamed and linked into a shard that does not exist yet")
    func otherShards() throws {
        try withStore { _, store in
            let blobs = [17, 5000, 9000].map { BlobName(node: $0, generation: 1) }
            try make(blobs[0], in: store)
            try store.rename(blobs[0], to: blobs[1])
            try store.link(blobs[1], of: store, as: blobs[2])
            #expect(try store.existingShards() == [0, 1, 2])
            #expect(try store.blobs(inShard: 0).isEmpty)
        }
    }

    @Test("a call that is made to fail changes nothing")
    func faults() throws {
        let folder = NSTemporaryDirectory() + "/ubiquity-content-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try ContentStore(directory: folder) { _ throws(Errno) in throw Errno(ENOSPC) }
        #expect(throws: Errno.self) { try make(BlobName(node: 17, generation: 1), in: store) }
        #expect(try store.existingShards().isEmpty)
    }
}
