import Testing

@testable import Transfers

@Suite struct TailRuleTests {
    private static let large: UInt64 = 16 << 20

    private func wantsRest(_ size: UInt64 = large, _ reads: [Range<UInt64>]) -> Bool {
        var rule = TailRule(size: size)
        for read in reads { rule.read(read) }
        return rule.wantsRest
    }

    @Test("A look at the head is no reason to fetch the rest, however often it is repeated")
    func head() {
        #expect(!wantsRest([0..<4_096]))
        #expect(!wantsRest([0..<131_072]))
        #expect(!wantsRest(Array(repeating: 0..<65_536, count: 1_000)))
        let headAndTail: [Range<UInt64>] = [0..<65_536, Self.large - 65_536..<Self.large]
        #expect(!wantsRest(headAndTail))
    }

    @Test("A reader that goes on past 128 KiB gets the rest")
    func sequence() {
        #expect(wantsRest([0..<131_072, 131_072..<135_168]))
        #expect(wantsRest([0..<4_096, 4_096..<65_536, 65_536..<131_073]))
        #expect(!wantsRest([0..<4_096, 4_096..<131_072]))
        // The kernel's own read-ahead reorders reads.
        #expect(wantsRest([65_536..<131_072, 0..<65_536, 131_072..<196_608]))
    }

    @Test("More than 256 KiB, or more than a quarter, is more than a look")
    func amount() {
        #expect(wantsRest([0..<262_145]))
        #expect(!wantsRest([0..<262_144]))
        #expect(wantsRest(400_000, [100_000..<200_001]))
        #expect(!wantsRest(400_000, [100_000..<200_000]))
    }

    @Test("A reader that jumps to many places gets the rest")
    func jumps() {
        let places = (0..<9).map { UInt64($0) << 20..<UInt64($0) << 20 + 4_096 }
        #expect(!wantsRest(Array(places.prefix(8))))
        #expect(wantsRest(places))
    }

    @Test("Ranges of any kind neither trap nor grow the rule", arguments: [UInt64(0), 1, .max])
    func extremes(size: UInt64) {
        var rule = TailRule(size: size)
        for bound: UInt64 in [0, 1, 1 << 32, .max - 1] {
            rule.read(bound..<bound)
            rule.read(bound..<UInt64.max)
        }
        #expect(rule.wantsRest == (size > 0))
    }

    private func wantsRest(_ reads: [Range<UInt64>]) -> Bool { wantsRest(Self.large, reads) }
}
