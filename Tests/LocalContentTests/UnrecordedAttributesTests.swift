import Basics
import CloudModel
import Foundation
import Glibc
import LocalMetadata
import TestSupport
import Testing

@testable import LocalContent

@Suite("Attributes that a blob keeps until its row has them")
struct UnrecordedAttributesTests {
    private func anyTime(_ random: inout SeededGenerator) -> Timestamp {
        Timestamp(nanoseconds: random.pick([.min, -1, 0, 1, .max, Int64(bitPattern: random.next())]) ?? 0)
    }

    private func anyID(_ random: inout SeededGenerator) -> UInt32? {
        random.pick([nil, 0, 1, .max, UInt32(truncatingIfNeeded: random.next())]) ?? nil
    }

    private func attributes(_ random: inout SeededGenerator) -> UnrecordedAttributes {
        var attributes = UnrecordedAttributes(changed: anyTime(&random))
        if random.chance(70) { attributes.permissions = UInt16(random.number(0..<0o10000)) }
        if random.chance(70) { attributes.owner = .init(user: anyID(&random), group: anyID(&random)) }
        if random.chance(70) { attributes.accessed = anyTime(&random) }
        if random.chance(70) { attributes.modified = .init(time: anyTime(&random), ofBlob: anyTime(&random)) }
        return attributes
    }

    @Test("any attributes are decoded as they were encoded, and not if a bit is flipped or bytes are missing")
    func roundTrip() {
        for seed in UInt64(1)...300 {
            var random = SeededGenerator(seed: seed)
            let attributes = attributes(&random)
            var bytes = attributes.encoded
            #expect(bytes.count == UnrecordedAttributes.size)
            #expect(UnrecordedAttributes(decoding: bytes) == attributes, "seed \(seed)")
            #expect(UnrecordedAttributes(decoding: bytes.dropLast()) == nil)
            bytes[random.number(0..<bytes.count)] ^= 1 << UInt8(random.number(0..<8))
            #expect(UnrecordedAttributes(decoding: bytes) == nil, "seed \(seed)")
        }
    }

    @Test("any bytes decode to attributes or to nil")
    func fuzz() {
        for seed in UInt64(1)...300 {
            var random = SeededGenerator(seed: seed)
            _ = UnrecordedAttributes(decoding: random.bytes(random.number(0..<100)))
        }
    }

    @Test("a blob has its seal or attributes; removing attributes leaves a seal")
    func sealOrAttributes() throws {
        let folder = NSTemporaryDirectory() + "/ubiquity-attributes-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try ContentStore(directory: folder)
        let blob = BlobName(node: 17, generation: 1)
        let descriptor = try store.create(blob)
        defer { close(descriptor) }
        var random = SeededGenerator(seed: 1)
        let attributes = attributes(&random)
        #expect(try store.set(attributes, descriptor: descriptor))
        #expect(try store.unrecordedAttributes(of: blob) == attributes)
        #expect(try store.seal(of: blob) == nil)
        var item = LocalItem(
            container: ContainerID(1), item: .random(), parent: .root, name: try ItemName("f"), kind: .file,
            attributes: ItemAttributes(permissions: 0o644, modified: .zero, created: .zero), changed: .zero)
        (item.node, item.isEdited) = (NodeID(17), true)
        let seal = EditSeal(Digest(words: (1, 2, 3, 4)), of: item, try store.status(blob))
        try store.set(seal, of: blob)
        #expect(try store.unrecordedAttributes(of: blob) == nil)
        try store.removeUnrecordedAttributes(descriptor: descriptor)
        #expect(try store.seal(of: blob) == seal)
        #expect(try store.set(attributes, descriptor: descriptor))
        try store.removeUnrecordedAttributes(descriptor: descriptor)
        #expect(try store.unrecordedAttributes(of: blob) == nil)
        try store.removeUnrecordedAttributes(descriptor: descriptor)
    }

    @Test("a time that was set counts until the file is written again")
    func laterWrite() throws {
        var row = LocalItem(
            container: ContainerID(1), item: .random(), parent: .root, name: try ItemName("f"), kind: .file,
            attributes: ItemAttributes(permissions: 0o644, modified: .zero, created: .zero), changed: .zero)
        let blob = BlobStatus(try temporaryStatus())
        var attributes = UnrecordedAttributes(changed: .zero)
        attributes.modified = .init(time: Timestamp(seconds: -11_676_096_000), ofBlob: blob.modified)
        attributes.apply(to: &row, blob)
        #expect(row.attributes.modified == Timestamp(seconds: -11_676_096_000))
        row.attributes.modified = Timestamp(seconds: 7)
        attributes.modified?.ofBlob = Timestamp(seconds: 1)
        attributes.apply(to: &row, blob)
        #expect(row.attributes.modified == Timestamp(seconds: 7))
    }

    private func temporaryStatus() throws -> stat {
        var status = stat()
        guard stat(NSTemporaryDirectory(), &status) == 0 else { throw Errno(errno) }
        return status
    }
}
