import Basics
import CloudModel
import CloudProtocol
import TestSupport
import Testing

@Suite("Binary bodies")
struct FrameTests {
    private func id(_ generator: inout SeededGenerator) throws -> ChunkID {
        try #require(ChunkID(generator.bytes(32)))
    }

    @Test("every value is decoded as it was encoded")
    func roundTrip() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let payloads = (0..<generator.number(0..<6)).map { _ in generator.bytes(generator.number(0..<300)) }
            let page = LogPage(first: LogSequence(generator.next() >> 1), payloads: payloads)
            #expect(try LogPage(decoding: page.encoded()) == page)
            let names = ChunkNames(try (0..<generator.number(0..<9)).map { _ in try id(&generator) })
            #expect(try ChunkNames(decoding: names.encoded()) == names)
            let batch = ChunkBatch(
                try payloads.map { ChunkBatch.Part(id: try id(&generator), frame: $0) })
            #expect(try ChunkBatch(decoding: batch.encoded()) == batch)
        }
    }

    @Test("a body that was cut anywhere, or has an extra byte, is refused")
    func cut() throws {
        var generator = SeededGenerator(seed: 1)
        let page = LogPage(first: LogSequence(7), payloads: [[1, 2, 3], []]).encoded()
        let names = ChunkNames([try id(&generator), try id(&generator)]).encoded()
        let batch = ChunkBatch([ChunkBatch.Part(id: try id(&generator), frame: [9, 9])]).encoded()
        for length in page.indices {
            #expect(throws: ByteCodingError.self) { try LogPage(decoding: Array(page[..<length])) }
        }
        for length in names.indices {
            #expect(throws: ByteCodingError.self) { try ChunkNames(decoding: Array(names[..<length])) }
        }
        for length in batch.indices {
            #expect(throws: ByteCodingError.self) { try ChunkBatch(decoding: Array(batch[..<length])) }
        }
        #expect(throws: ByteCodingError.self) { try LogPage(decoding: page + [0]) }
        #expect(throws: ByteCodingError.self) { try ChunkNames(decoding: names + [0]) }
        #expect(throws: ByteCodingError.self) { try ChunkBatch(decoding: batch + [0]) }
    }

    @Test("a count that is too large for the body is refused before memory is allocated for it")
    func hostileCounts() {
        let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]
        #expect(throws: ByteCodingError.self) { try ChunkNames(decoding: [1] + huge) }
        #expect(throws: ByteCodingError.self) { try ChunkBatch(decoding: [1] + huge) }
        #expect(throws: ByteCodingError.self) { try LogPage(decoding: [1, 1] + huge) }
        #expect(throws: ByteCodingError.self) { try LogPage(decoding: [1] + huge + [1, 0]) }
    }

    @Test("frames of another version are refused, and the error gives that version")
    func version() {
        #expect(throws: ByteCodingError.invalid("frames of the unknown version 2")) {
            try ChunkNames(decoding: [2, 0])
        }
    }

    @Test("random bytes decode to a value or an error, and a decoded value is encoded to the same value")
    func noise() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<3_000 {
            var bytes = generator.bytes(generator.number(0..<120))
            if !bytes.isEmpty, generator.chance(90) { bytes[0] = 1 }
            if bytes.count > 1, generator.chance(70) { bytes[1] %= 4 }
            if let page = try? LogPage(decoding: bytes) { #expect(try LogPage(decoding: page.encoded()) == page) }
            if let names = try? ChunkNames(decoding: bytes) { #expect(names.ids.count <= bytes.count / 32) }
            if let batch = try? ChunkBatch(decoding: bytes) { #expect(batch.parts.count <= bytes.count / 33) }
        }
    }
}
