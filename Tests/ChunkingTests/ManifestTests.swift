import CloudModel
import TestSupport
import Testing

@testable import Chunking

@Suite struct ManifestTests {
    private func manifest(_ lengths: [Int]) -> Manifest {
        Manifest(lengths.enumerated().map { ChunkEntry(id: .of([UInt8($0.offset & 0xFF)]), length: $0.element) })
    }

    @Test("A range is covered by exactly the chunks that hold its bytes", arguments: 0..<20)
    func covering(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let manifest = manifest((0..<12).map { _ in Int.random(in: 1...5, using: &random) })
        for start in 0...manifest.size {
            for end in start...manifest.size + 3 {
                let wanted = start..<max(start, min(end, manifest.size))
                let expected = (0..<12).filter { manifest.range(of: $0).overlaps(wanted) }
                #expect(Array(manifest.indices(covering: start..<end)) == expected, "seed \(seed) \(start)..<\(end)")
            }
        }
    }

    @Test("Offsets beyond 4 GiB are computed correctly")
    func largeOffsets() {
        let manifest = manifest([Int](repeating: 1 << 20, count: 5_000))
        #expect(manifest.size == 5_000 << 20)
        #expect(manifest.indices(covering: 4_500 << 20..<4_500 << 20 + 1) == 4_500..<4_501)
    }

    @Test("An encoded manifest decodes to an equal one", arguments: 0..<20)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let manifest = manifest(
            (0..<Int.random(in: 2...300, using: &random)).map { _ in .random(in: 1...1 << 20, using: &random) })
        #expect(try Manifest(decoding: manifest.encoded(), size: manifest.size) == manifest, "seed \(seed)")
    }

    @Test("Empty content has no name, one chunk names itself, and several chunks are named by their manifest")
    func references() {
        #expect(Manifest([]).reference == ContentReference(digest: .ofNothing, size: 0, layout: .empty))
        let one = manifest([5])
        #expect(one.reference == ContentReference(digest: one.chunks[0].id, size: 5, layout: .chunk))
        #expect(Manifest(within: one.reference) == one)
        let two = manifest([5, 6])
        #expect(two.reference == ContentReference(digest: .of(two.encoded()), size: 11, layout: .manifest))
        #expect(Manifest(within: two.reference) == nil)
        #expect(Manifest(within: Manifest([]).reference) == Manifest([]))
        #expect(Manifest(within: ContentReference(digest: .ofNothing, size: 5, layout: .empty)) == nil)
        #expect(Manifest(within: ContentReference(digest: .ofNothing, size: 0, layout: .chunk)) == nil)
    }

    @Test(
        "A wrong size, a missing byte or an extra byte is an error; a newer version is reported as such"
    )
    func damage() {
        let manifest = manifest([5, 6])
        let bytes = manifest.encoded()
        #expect(code { try Manifest(decoding: bytes, size: 12) } == .damaged)
        #expect(code { try Manifest(decoding: Array(bytes.dropLast()), size: 11) } != nil)
        #expect(code { try Manifest(decoding: bytes + [0], size: 11) } == .damaged)
        #expect(code { try Manifest(decoding: [2] + bytes.dropFirst(), size: 11) } == .tooNew)
        #expect(code { try Manifest(decoding: [], size: 0) } == .truncated)
    }

    @Test("Mutated and random bytes decode to a manifest of the right size or an error, and never crash")
    func hostile() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let good = manifest([5, 6, 70_000, 1]).encoded()
        for _ in 0..<3_000 {
            var bytes = Bool.random(using: &random) ? good : random.bytes(Int.random(in: 0...200, using: &random))
            for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
                bytes[Int.random(in: 0..<min(bytes.count, 40), using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            if let read = try? Manifest(decoding: bytes, size: 70_012) { #expect(read.size == 70_012, "seed \(seed)") }
        }
        print("ManifestTests.hostile seed \(seed)")
    }

    @Test("Lengths whose sum overflows 64 bits are refused")
    func overflow() {
        var bytes = manifest([5, 6]).encoded()
        bytes.replaceSubrange(35..<36, with: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01])
        #expect(code { try Manifest(decoding: bytes, size: 11) } == .damaged)
    }
}

func code(_ body: () throws -> some Any) -> ChunkError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? ChunkError)?.code
    }
}
