import TestSupport
import Testing

@testable import HTTPTransport

@Suite("Heads of responses")
struct ResponseHeadTests {
    private func read(_ lines: [String], status: Int = 200) -> (head: ResponseHead, last: ResponseHead.Line) {
        var (head, last) = (ResponseHead(), ResponseHead.Line.more)
        for line in lines { last = Array(line.utf8).withUnsafeBytes { head.read($0, status: status) } }
        return (head, last)
    }

    @Test("names and values are without the blanks around them; lines without a colon are ignored")
    func lines() {
        let (head, last) = read(["HTTP/1.1 200 OK\r\n", "A:\t b c \r\n", "B:\r\n", "none\r\n", ": d\r\n", "\r\n"])
        #expect(last == .end)
        #expect(head.headers.map(\.name) == ["A", "B", ""])
        #expect(head.headers.map(\.value) == ["b c", "", "d"])
    }

    @Test("lines of any bytes are read, and no more of them than the limit", arguments: 0..<20 as Range<UInt64>)
    func anyBytes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var head = ResponseHead()
        var size = 0
        while true {
            let line = random.bytes(random.number(0..<2_000)) + (random.chance(50) ? [13, 10] : [])
            size += line.count
            let outcome = line.withUnsafeBytes { head.read($0, status: random.pick([0, 100, 200, 599, Int.max]) ?? 0) }
            #expect((outcome == .tooLong) == (size > ResponseHead.limit), "seed \(seed)")
            if outcome == .tooLong { break }
        }
    }
}
