import Basics
import CloudModel
import Foundation
import Glibc
import LocalMetadata
import TestSupport
import Testing

@testable import LocalContent

@Suite("Seals of edits that wait for the cloud")
struct EditSealTests {
    private let digest = Digest(words: (0x0123_4567_89AB_CDEF, 2, 3, 4))
    private let other = Digest(words: (0x0123_4567_89AB_CDEF, 1, 3, 4))

    private func sealed(
        _ body: (_ store: ContentStore, _ item: LocalItem, _ seal: EditSeal) throws -> Void
    ) throws {
        let folder = NSTemporaryDirectory() + "/ubiquity-seals-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try ContentStore(directory: folder)
        var item = LocalItem(
            container: ContainerID(1), item: ItemID.random(), parent: .root, name: try ItemName("f"), kind: .file,
            attributes: ItemAttributes(permissions: 0o644, modified: .zero, created: .zero),
            changed: Timestamp(seconds: 5))
        (item.node, item.isEdited) = (NodeID(17), true)
        close(try store.create(item.blob))
        let seal = EditSeal(digest, of: item, try store.status(item.blob))
        try store.set(seal, of: item.blob)
        try body(store, item, seal)
    }

    @Test("a seal is decoded as it was encoded, belongs to the edit it was made for, and knows its digest")
    func roundTrip() throws {
        try sealed { store, item, seal in
            let (read, status) = (try store.seal(of: item.blob), try store.status(item.blob))
            #expect(read == seal)
            #expect(seal.isOf(item, status))
            #expect(seal.matches(digest) && !seal.matches(other))
        }
    }

    @Test(
        "a seal does not match after a write, after a change of its row, or when the file is not edited"
    )
    func lapses() throws {
        try sealed { store, item, seal in
            let status = try store.status(item.blob)
            var row = item
            row.changed = Timestamp(seconds: 6)
            #expect(!seal.isOf(row, status))
            row = item
            row.isWriting = true
            #expect(!seal.isOf(row, status))
            row = item
            row.isEdited = false
            #expect(!seal.isOf(row, status))
            try store.setModified(Timestamp(seconds: 9), of: item.blob)
            #expect(!seal.isOf(item, try store.status(item.blob)))
        }
    }

    @Test("a blob without a seal has none, and one that is gone is ENOENT")
    func none() throws {
        try sealed { store, item, _ in
            close(try store.create(BlobName(node: 18, generation: 0)))
            #expect(try store.seal(of: BlobName(node: 18, generation: 0)) == nil)
            #expect(throws: Errno(ENOENT)) { try store.seal(of: BlobName(node: 19, generation: 0)) }
        }
    }

    @Test("a corrupted seal never reports a good edit as damaged")
    func damaged() throws {
        try sealed { store, item, seal in
            let status = try store.status(item.blob)
            for place in seal.encoded.indices {
                for mask: UInt8 in [1, 0x10, 0xFF] {
                    var bytes = seal.encoded
                    bytes[place] ^= mask
                    let read = EditSeal(decoding: bytes)
                    #expect(read?.isOf(item, status) != true || read?.matches(digest) == true, "byte \(place)")
                }
            }
        }
    }

    @Test("random bytes are no seal, or a seal that is encoded to the same bytes")
    func random() throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<5000 {
            var bytes = (0..<random.number(0..<80)).map { _ in UInt8(random.number(0..<256)) }
            if random.chance(50), bytes.count >= EditSeal.size {
                bytes = Array(bytes.prefix(EditSeal.size))
                bytes[0] = 1
                bytes.replaceSubrange((EditSeal.size - 16)..., with: bytes[1...16])
            }
            guard let seal = EditSeal(decoding: bytes) else { continue }
            #expect(seal.encoded == bytes, "seed \(seed)")
        }
    }
}
