import Basics
import CloudModel
import TestSupport
import Testing

@testable import Chunking

@Suite struct FastCDCTests {
    @Test("The gear table is generated from its documented seed")
    func table() {
        var random = SeededGenerator(seed: GearTable.seed)
        #expect(GearTable.values == (0..<256).map { _ in random.next() })
    }

    @Test("Version 1 cuts a known content at fixed places, so that devices of all releases share chunks")
    func knownCuts() throws {
        var random = SeededGenerator(seed: 1)
        let lengths = try scan(random.bytes(2 << 20)).map(\.length)
        #expect(lengths == [291_895, 297_777, 127_842, 88_881, 368_490, 289_005, 102_748, 328_176, 202_338])
    }

    @Test(
        "Content of at most the minimum size is one chunk; empty content has no chunk",
        arguments: [0, 1, 4_095, 64 << 10])
    func small(size: Int) throws {
        var random = SeededGenerator(seed: UInt64(size))
        #expect(try scan(random.bytes(size)).map(\.length) == (size == 0 ? [] : [size]))
    }

    @Test("Chunk sizes are between the minimum and the maximum and near the average, and the chunks cover the content")
    func lengths() throws {
        var random = SeededGenerator(seed: 7)
        let size = 32 << 20
        let lengths = try scan(random.bytes(size)).map(\.length)
        #expect(lengths.reduce(0, +) == size)
        #expect(lengths.dropLast().allSatisfy { $0 >= 64 << 10 && $0 <= 1 << 20 })
        #expect((200 << 10...400 << 10).contains(size / lengths.count))
    }

    @Test("Content without a boundary is cut at the maximum size")
    func constantBytes() throws {
        let lengths = try scan([UInt8](repeating: 0, count: (3 << 20) + 5)).map(\.length)
        #expect(lengths == [1 << 20, 1 << 20, 1 << 20, 5])
    }

    @Test(
        "Boundaries do not depend on the sizes of reads, the buffer, the expected size or the steps",
        arguments: 0..<6)
    func readSizes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bytes = random.bytes(Int.random(in: 1...4 << 20, using: &random))
        let expected = try scan(bytes)
        let parameters = ChunkingParameters.version1
        let chunker = FileChunker(parameters, bufferSize: Int.random(in: 1...8 << 20, using: &random))
        let most = Int.random(in: 1_000...3 << 20, using: &random)
        var entries: [ChunkEntry] = []
        var offset: UInt64 = 0
        var atEnd = false
        while !atEnd {
            let expected = UInt64.random(in: 0...8 << 20, using: &random)
            let budget = Int.random(in: 1...1 << 20, using: &random)
            let step = try chunker.scan(from: offset, budget: budget, expectedSize: expected) {
                copy(bytes, into: $0, at: $1, most: most)
            }
            entries += step.entries
            offset = step.nextOffset
            atEnd = step.reachedEnd
        }
        #expect(entries == expected, "seed \(seed)")
    }

    @Test("A byte inserted at the start changes only the first chunks")
    func insertion() throws {
        var random = SeededGenerator(seed: 11)
        let bytes = random.bytes(16 << 20)
        let old = Set(try scan(bytes).map(\.id))
        let new = try scan([0x55] + bytes).filter { !old.contains($0.id) }
        #expect(new.count <= 4)
    }

    @Test("Changing 1 MiB inside 256 MiB creates at most 4 MiB of new chunks")
    func change() throws {
        var random = SeededGenerator(seed: 13)
        var bytes = random.bytes(256 << 20)
        let old = Set(try scan(bytes).map(\.id))
        bytes.replaceSubrange(100 << 20..<101 << 20, with: random.bytes(1 << 20))
        let new = try scan(bytes).filter { !old.contains($0.id) }
        #expect(new.reduce(0) { $0 + $1.length } <= 4 << 20)
        #expect(!new.isEmpty)
    }

    private func scan(_ bytes: [UInt8]) throws(Errno) -> [ChunkEntry] {
        try FileChunker().scan(from: 0, budget: .max) { copy(bytes, into: $0, at: $1, most: .max) }.entries
    }

    private func copy(
        _ bytes: [UInt8], into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64, most: Int
    ) -> Int {
        let start = min(Int(offset), bytes.count)
        let count = min(buffer.count, bytes.count - start, most)
        bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count])) }
        return count
    }
}
