import CloudModel
import TestSupport
import Testing

@testable import Chunking

@Suite struct ChunkFrameTests {
    @Test(
        "A frame decodes to its chunk, compressible or not",
        arguments: [0, 1, 63, 64, 5_000, 64 << 10, 300_000, 1 << 20])
    func roundTrip(size: Int) throws {
        var random = SeededGenerator(seed: UInt64(size))
        for plain in [random.bytes(size), text(size)] {
            #expect(try ChunkFrame.decode(ChunkFrame.encode(plain), expecting: .of(plain)) == plain)
        }
    }

    @Test("Text shrinks; random bytes grow by a header of at most 16 bytes")
    func compression() {
        var random = SeededGenerator(seed: 5)
        #expect(ChunkFrame.encode(text(300_000)).count < 30_000)
        #expect(ChunkFrame.encode(random.bytes(300_000)).count <= 300_016)
    }

    @Test("Compression is skipped for a chunk whose samples do not shrink, and tried if only its middle does")
    func samples() {
        var random = SeededGenerator(seed: 6)
        #expect(!random.bytes(1 << 20).withUnsafeBytes { Compressibility.isWorthTrying($0) })
        let half = random.bytes(1 << 19) + text(1 << 19)
        #expect(half.withUnsafeBytes { Compressibility.isWorthTrying($0) })
    }

    @Test("Damaged frames, truncated frames and frames of a newer version are distinguished")
    func errors() {
        let plain = text(5_000)
        let id = Digest.of(plain)
        let frame = ChunkFrame.encode(plain)
        #expect(decode(frame, .of([1])) == .damaged)
        #expect(decode(Array(frame.dropLast(4)), id) == .truncated)
        #expect(decode(Array(frame.prefix(5)), id) == .truncated)
        #expect(decode([], id) == .truncated)
        #expect(decode(frame + [0], id) != nil)
        #expect(decode(replacing(frame, at: 0, by: 0), id) == .damaged)
        #expect(decode(replacing(frame, at: 4, by: 2), id) == .tooNew)
        #expect(decode(replacing(frame, at: 5, by: 9), id) == .tooNew)
        #expect(decode(replacing(frame, at: frame.count - 9, by: frame[frame.count - 9] ^ 0x40), id) == .damaged)
    }

    @Test("A claimed length above the limit is refused before anything is allocated")
    func limit() {
        let plain = text(5_000)
        #expect(
            code { try ChunkFrame.decode(ChunkFrame.encode(plain), expecting: .of(plain), limit: 4_999) } == .damaged)
        let huge: [UInt8] = Array(ChunkFrame.encode(plain).prefix(6)) + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 1, 2, 3]
        #expect(decode(huge, .of(plain)) == .damaged)
    }

    @Test("Mutated and random frames decode to the right bytes or an error, and never crash")
    func hostile() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let plains = [text(3_000), random.bytes(500)]
        for round in 0..<4_000 {
            let plain = plains[round % 2]
            var frame = Int.random(in: 0..<4, using: &random) > 0 ? ChunkFrame.encode(plain) : random.bytes(40)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                frame[Int.random(in: 0..<frame.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            }
            let read = try? ChunkFrame.decode(frame, expecting: .of(plain))
            #expect(read == nil || read == plain, "seed \(seed)")
        }
        print("ChunkFrameTests.hostile seed \(seed)")
    }

    private func text(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(97 + ($0 * $0 / 7) % 11) } }

    private func decode(_ frame: [UInt8], _ id: ChunkID) -> ChunkError.Code? {
        code { try ChunkFrame.decode(frame, expecting: id) }
    }

    private func replacing(_ bytes: [UInt8], at index: Int, by value: UInt8) -> [UInt8] {
        var copy = bytes
        copy[index] = value
        return copy
    }
}
