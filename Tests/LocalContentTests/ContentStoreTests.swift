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
