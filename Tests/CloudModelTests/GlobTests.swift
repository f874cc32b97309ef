import CloudModel
import Testing

@Suite("Patterns and what they cost")
struct GlobTests {
    /// Patterns with exponential running time if each asterisk tries all lengths.
    private static let hostile = [
        String(repeating: "a*", count: 500) + "b", String(repeating: "*a", count: 500) + "b",
        String(repeating: "**/", count: 340) + "b", String(repeating: "a/**/", count: 200) + "b",
        String(repeating: "*[a-z]", count: 170) + "b", String(repeating: "?*", count: 500) + "b",
    ]

    @Test("no pattern takes more steps than its bytes times those of the text", arguments: hostile, [true, false])
    func bounded(pattern: String, isPath: Bool) {
        let glob = Glob(pattern.utf8, isPath: isPath)
        for text in [String(repeating: "a", count: 4_000), String(repeating: "a/", count: 2_000)] {
            var steps = 0
            #expect(!glob.matches(Array(text.utf8)[...], steps: &steps))
            #expect(steps <= (pattern.utf8.count + 1) * text.utf8.count)
        }
    }

    @Test("the same holds for random patterns, and a text matches itself once its special bytes are escaped")
    func random() {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var random = Random(state: seed)
        let pieces = ["a", "b", "/", "*", "**", "**/", "?", "[a-b]", "[!a]", "[[:alpha:]]", "\\", "[", "]", "-"]
        for _ in 0..<2_000 {
            let pattern = (0..<random.number(20)).map { _ in pieces[random.number(pieces.count)] }.joined()
            let text = Array((0..<random.number(40)).map { _ in pieces[random.number(3)] }.joined().utf8)
            var steps = 0
            _ = Glob(pattern.utf8, isPath: true).matches(text[...], steps: &steps)
            #expect(steps <= (pattern.utf8.count + 1) * text.count, "\(pattern)")
            let own = Array(pattern.utf8)
            let escaped = own.flatMap { [UInt8(ascii: "\\"), $0] }
            #expect(Glob(escaped, isPath: true).matches(own[...]), "\(pattern)")
        }
    }

    /// SplitMix64; the targets with the shared generator have additional imports.
    private struct Random {
        var state: UInt64

        mutating func number(_ limit: Int) -> Int {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
            return Int((word ^ word >> 31) % UInt64(limit))
        }
    }
}
