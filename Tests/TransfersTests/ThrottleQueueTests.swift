import Basics
import TestSupport
import Testing

@testable import Transfers

@Suite("Limits of transfers")
struct ThrottleQueueTests {
    /// A queue with mutations usable in expectations.
    private final class Subject {
        private var queue = ThrottleQueue()

        init(_ rate: UInt64?) { setRate(rate, at: .zero) }

        var count: Int { queue.count }
        func setRate(_ rate: UInt64?, at now: Duration) { queue.setRate(rate, at: now) }
        func ask(_ number: UInt64, bytes: Int, _ priority: TransferPriority, at now: Duration) {
            queue.ask(number, bytes: bytes, priority, at: now)
        }
        func withdraw(_ number: UInt64) -> Bool { queue.withdraw(number) }
        func promote(_ number: UInt64) { queue.promote(number) }
        func correct(_ estimated: Int, to actual: Int, at now: Duration) {
            queue.correct(estimated, to: actual, at: now)
        }
        func grant(at now: Duration) -> UInt64? { queue.grant(at: now) }
        func wait(at now: Duration) -> Duration? { queue.wait(at: now) }
        func time(for bytes: Int) -> Duration { queue.time(for: bytes) }

        /// Returns the numbers of the startable requests.
        func granted(at seconds: Double) -> [UInt64] {
            var granted: [UInt64] = []
            while let number = grant(at: .seconds(seconds)) { granted.append(number) }
            return granted
        }
    }

    @Test("without a limit everything begins at once")
    func unlimited() {
        let queue = Subject(nil)
        for number in 0..<100 { queue.ask(UInt64(number), bytes: .max, .background, at: .zero) }
        #expect(queue.granted(at: 0) == Array(0..<100) && queue.wait(at: .zero) == nil)
    }

    @Test("after a second's bytes the next transfer begins when they are paid for, however large it is")
    func rate() {
        let queue = Subject(1_000)
        for number in 1...3 { queue.ask(UInt64(number), bytes: 3_000, .background, at: .zero) }
        #expect(queue.granted(at: 0) == [1])
        let wait = queue.wait(at: .seconds(1)) ?? .zero
        #expect(wait > .seconds(1) && wait < .seconds(1.1))
        #expect(queue.granted(at: 1.9).isEmpty)
        #expect(queue.granted(at: 2.1) == [2])
        #expect(queue.granted(at: 4.9).isEmpty)
        #expect(queue.granted(at: 5.2) == [3])
    }

    @Test("what a transfer did not use is given back, and what it used beyond its estimate is paid for")
    func correction() {
        let queue = Subject(1_000)
        for number in 1...3 { queue.ask(UInt64(number), bytes: 3_000, .background, at: .zero) }
        #expect(queue.granted(at: 0) == [1])
        queue.correct(3_000, to: 500, at: .zero)
        #expect(queue.granted(at: 0) == [2])
        queue.correct(3_000, to: 5_000, at: .zero)
        #expect(queue.granted(at: 4.4).isEmpty)
        #expect(queue.granted(at: 4.6) == [3])
    }

    @Test(
        "readers go first and wait five seconds at most; a small document passes the pieces of a large one, not for ever"
    )
    func order() {
        let queue = Subject(1_000)
        queue.ask(1, bytes: 100_000, .background, at: .zero)
        #expect(queue.granted(at: 0) == [1])
        queue.ask(2, bytes: 100_000, .background, at: .seconds(1))
        queue.ask(3, bytes: 100, .background, at: .seconds(2))
        queue.ask(4, bytes: 100_000, .background, at: .seconds(2))
        queue.promote(4)
        queue.ask(5, bytes: 100, .background, at: .seconds(12))
        #expect(queue.granted(at: 6.9).isEmpty)
        #expect(queue.wait(at: .seconds(6)) == .seconds(1))
        #expect(queue.granted(at: 7) == [4])
        #expect(queue.granted(at: 500) == [3, 2] && queue.granted(at: 700) == [5])
    }

    @Test("a changed limit counts at once for what waits; a request that is withdrawn is not granted")
    func changes() {
        let queue = Subject(10_000)
        for number in 1...3 { queue.ask(UInt64(number), bytes: 1 << 20, .background, at: .zero) }
        #expect(queue.granted(at: 0) == [1])
        #expect(queue.withdraw(2) && !queue.withdraw(2) && !queue.withdraw(1))
        queue.setRate(nil, at: .zero)
        #expect(queue.granted(at: 0) == [3] && queue.wait(at: .zero) == nil)
    }

    @Test("extreme rates, sizes and times do no harm")
    func extremes() {
        for rate in [0, 1, UInt64.max] {
            let queue = Subject(rate)
            for (number, bytes) in [Int.min, -1, 0, .max, .max].enumerated() {
                queue.ask(UInt64(number), bytes: bytes, .background, at: .seconds(Int64(number)))
            }
            for seconds in [0, Int64.max, .min, 0, 1, .max] {
                while queue.grant(at: .seconds(seconds)) != nil {}
                let wait = queue.wait(at: .seconds(seconds)) ?? .zero
                #expect(wait >= .zero && wait <= .seconds(1e6))
                queue.correct(.min, to: .max, at: .seconds(seconds))
                queue.correct(.max, to: .min, at: .seconds(seconds))
                queue.correct(0, to: .max, at: .seconds(seconds))
            }
            #expect(queue.time(for: .max) <= .seconds(1e6) && queue.time(for: .min) == .zero)
        }
    }

    @Test(
        "whatever is asked, no more passes than the rate, one second's bytes and one request; every request passes",
        arguments: 0..<20)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let rate = random.number(10_000..<2_000_000)
        let queue = Subject(UInt64(rate))
        var sizes: [UInt64: Int] = [:]
        var (now, passed, asked) = (0.0, 0, UInt64(0))
        for _ in 0..<2_000 {
            now += Double(random.number(0..<1_000)) / 1_000
            if queue.count < 20 {
                asked += 1
                sizes[asked] = random.number(1..<(1 << 20))
                queue.ask(
                    asked, bytes: sizes[asked] ?? 0, random.chance(50) ? .background : .readAhead, at: .seconds(now))
            }
            for number in queue.granted(at: now) {
                passed += sizes.removeValue(forKey: number) ?? 0
                #expect(Double(passed) <= Double(rate) * (now + 1) + 0x1p20, "seed \(seed)")
            }
        }
        while let wait = queue.wait(at: .seconds(now)) {
            now += wait / .seconds(1) + 0.000001
            for number in queue.granted(at: now) { sizes[number] = nil }
        }
        #expect(sizes.isEmpty && queue.count == 0, "seed \(seed)")
    }
}
