import TestSupport
import Testing

@testable import LocalMetadata

@Suite("Reading the log ahead")
struct LogReadAheadTests {
    private static let window = LogReadAhead.window

    @Test("what a commit overwrites was read before, once, for any commits and new starts", arguments: 1...20)
    func ahead(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var (readAhead, end) = (LogReadAhead(), 0)
        let first = readAhead.ends(at: 0)
        var isRead = try #require(first).upperBound
        for _ in 0..<500 {
            let isNewStart = end > Self.window / 4 && generator.chance(2)
            let before = isNewStart ? 0 : end
            end = before + Int.random(in: 1...Self.window / 4, using: &generator)
            // A new start's first write was not read.
            if isNewStart { isRead = 0 } else { #expect(end <= isRead) }
            guard let part = readAhead.ends(at: end) else {
                #expect(end + Self.window / 2 < isRead)
                continue
            }
            #expect(part.lowerBound >= isRead && part.upperBound == end + Self.window)
            isRead = part.upperBound
        }
    }

    @Test("a small commit costs no call")
    func rare() {
        var readAhead = LogReadAhead()
        let parts = (1...4_000).compactMap { readAhead.ends(at: $0 * 4_120) }
        #expect(parts.count <= 4_000 * 4_120 / (Self.window / 2) + 1)
    }
}
