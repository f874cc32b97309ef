import ServerStorage
import TestSupport
import Testing

@Suite("CBOR")
struct CBORTests {
    private static func encode(_ value: CBOR) -> [UInt8] {
        func head(_ major: UInt8, _ number: UInt64) -> [UInt8] {
            switch number {
            case ..<24: [major << 5 | UInt8(number)]
            case ..<256: [major << 5 | 24, UInt8(number)]
            case ..<65_536: [major << 5 | 25] + (0..<2).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
            case ..<(1 << 32):
                [major << 5 | 26] + (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
            default: [major << 5 | 27] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
            }
        }
        switch value {
        case .unsigned(let number): return head(0, number)
        case .negative(let number): return head(1, number)
        case .bytes(let bytes): return head(2, UInt64(bytes.count)) + bytes
        case .text(let text): return head(3, UInt64(text.utf8.count)) + Array(text.utf8)
        case .array(let elements): return head(4, UInt64(elements.count)) + elements.flatMap(encode)
        case .map(let entries):
            return head(5, UInt64(entries.count)) + entries.flatMap { encode($0.key) + encode($0.value) }
        case .bool(let bool): return [bool ? 0xF5 : 0xF4]
        case .null: return [0xF6]
        }
    }

    private static func random(_ depth: Int, _ random: inout SeededGenerator) -> CBOR {
        let number = UInt64.random(in: 0...UInt64.max, using: &random) >> UInt64.random(in: 0...63, using: &random)
        switch Int.random(in: 0...(depth > 0 ? 7 : 5), using: &random) {
        case 0: return .unsigned(number)
        case 1: return .negative(number)
        case 2: return .bytes(random.bytes(Int.random(in: 0..<40, using: &random)))
        case 3: return .text(String("aé😀".randomElement(using: &random) ?? "a"))
        case 4: return .bool(number.isMultiple(of: 2))
        case 5: return .null
        case 6: return .array((0..<Int.random(in: 0..<4, using: &random)).map { _ in Self.random(depth - 1, &random) })
        default:
            let pairs = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
                (Self.random(depth - 1, &random), Self.random(depth - 1, &random))
            }
            return .map(Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
        }
    }

    @Test("examples of RFC 8949, appendix A")
    func examples() throws {
        let examples: [([UInt8], CBOR)] = [
            ([0x00], .unsigned(0)), ([0x18, 0x64], .unsigned(100)), ([0x19, 0x03, 0xE8], .unsigned(1_000)),
            ([0x1B] + [UInt8](repeating: 0xFF, count: 8), .unsigned(.max)), ([0x20], .number(-1)),
            ([0x38, 0x63], .number(-100)), ([0x44, 1, 2, 3, 4], .bytes([1, 2, 3, 4])),
            ([0x62, 0xC3, 0xBC], .text("ü")),
            ([0x83, 1, 2, 3], .array([.unsigned(1), .unsigned(2), .unsigned(3)])),
            ([0xA2, 1, 2, 3, 4], .map([.unsigned(1): .unsigned(2), .unsigned(3): .unsigned(4)])), ([0xF5], .bool(true)),
        ]
        for (bytes, value) in examples { #expect(try CBOR(decoding: bytes) == value) }
    }

    @Test(
        "input that is nested too deeply, too long, truncated, duplicated, indefinite or not in its shortest form is refused"
    )
    func refused() {
        func expect(_ problem: CBOR.Problem, _ bytes: [UInt8]) {
            #expect(throws: problem) { try CBOR(decoding: bytes) }
        }
        expect(.truncated, [])
        expect(.truncated, [0x44, 1, 2])
        expect(.truncated, [0x9B] + [UInt8](repeating: 0xFF, count: 8))
        expect(.truncated, [0xBB] + [UInt8](repeating: 0xFF, count: 8))
        expect(.truncated, [0x5B] + [UInt8](repeating: 0xFF, count: 8))
        expect(.tooLarge, [UInt8](repeating: 0x81, count: 100) + [0])
        expect(.tooLarge, [0x5A, 0, 1, 0, 0] + [UInt8](repeating: 0, count: 65_536))
        expect(.unsupported, [0x18, 0x17])
        expect(.unsupported, [0x19, 0x00, 0xFF])
        expect(.unsupported, [0x9F, 0xFF])
        expect(.unsupported, [0xC0, 0x00])
        expect(.unsupported, [0xFB] + [UInt8](repeating: 0, count: 8))
        expect(.notUTF8, [0x61, 0xFF])
        expect(.duplicateKey, [0xA2, 1, 2, 1, 3])
        expect(.trailing, [0x00, 0x00])
    }

    @Test("every value is decoded as it was encoded, and any change of its bytes ends in a value or an error")
    func properties() throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<3_000 {
            let value = Self.random(4, &random)
            var bytes = Self.encode(value)
            #expect(try CBOR(decoding: bytes) == value)
            for _ in 0..<5 where !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
                // Any outcome but a crash is right. A value decoded from changed bytes encodes to the same length.
                if let other = try? CBOR(decoding: bytes) { #expect(Self.encode(other).count == bytes.count) }
            }
        }
    }
}
