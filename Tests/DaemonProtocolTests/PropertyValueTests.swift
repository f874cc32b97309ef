import Basics
import DaemonProtocol
import FoundationEssentials
import TestSupport
import Testing

@Suite("Values of key-value stores")
struct PropertyValueTests {
    private func value(depth: Int, _ random: inout SeededGenerator) -> PropertyValue {
        switch random.number(0..<(depth > 0 ? 8 : 6)) {
        case 0: .flag(Bool.random(using: &random))
        case 1: .integer(Int64.random(in: .min ... .max, using: &random))
        case 2: .real(Double(random.number(-1000..<1000)) / 8)
        case 3: .text(["", "a", "ü\u{0}", "x'y"][random.number(0..<4)])
        case 4: .data((0..<random.number(0..<9)).map { UInt8($0) })
        case 5: .date(Double(random.number(-1000..<1_000_000)))
        case 6: .array((0..<random.number(0..<4)).map { _ in value(depth: depth - 1, &random) })
        default:
            .dictionary(
                Dictionary(
                    (0..<random.number(0..<4)).map { ("k\($0)", value(depth: depth - 1, &random)) },
                    uniquingKeysWith: { first, _ in first }))
        }
    }

    @Test("Every value is decoded as it was encoded, as bytes and as JSON", arguments: 1...50)
    func roundTrip(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let value = value(depth: 4, &random)
            let bytes = try #require(value.encoded())
            #expect(try PropertyValue(decoding: bytes) == value, "seed \(seed)")
            let text = try JSONEncoder().encode(value)
            let again = try JSONDecoder().decode(PropertyValue.self, from: text)
            // JSON does not distinguish 1 from 1.0.
            #expect(try JSONEncoder().encode(again).count == text.count, "seed \(seed)")
        }
    }

    @Test("Any bytes decode to a value or an error, and each value has one encoding", arguments: 1...50)
    func anyBytes(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            var bytes = try #require(value(depth: 3, &random).encoded())
            for _ in 0..<random.number(1..<4) where !bytes.isEmpty {
                let place = random.number(0..<bytes.count)
                if random.number(0..<4) == 0 {
                    bytes.removeSubrange(place...)
                } else {
                    bytes[place] = UInt8(random.number(0..<256))
                }
            }
            guard let value = try? PropertyValue(decoding: bytes) else { continue }
            #expect(value.encoded() == bytes, "seed \(seed)")
        }
    }

    @Test("Values that are nested too deeply are neither encoded nor decoded")
    func depth() {
        var value = PropertyValue.flag(true)
        for _ in 0..<PropertyValue.maximumDepth { value = .array([value]) }
        #expect(value.encoded() == nil)
        let bytes = [1] + Array(repeating: [7, 1] as [UInt8], count: 100_000).joined() + [1]
        #expect(throws: ByteCodingError.self) { try PropertyValue(decoding: bytes) }
    }
}
