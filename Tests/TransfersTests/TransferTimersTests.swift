import Synchronization
import TestSupport
import Testing

@testable import Transfers

@Suite("The timers of downloads")
struct TransferTimersTests {
    private let clock = ManualClock()
    private let fired = Fired()

    /// The fired timers, and a wait for them.
    private final class Fired: Sendable {
        private let names = Mutex<[String]>([])
        private let (stream, continuation) = AsyncStream.makeStream(of: String.self)

        var all: [String] { names.withLock { $0 } }

        func note(_ name: String) {
            names.withLock { $0.append(name) }
            continuation.yield(name)
        }

        func wait(for count: Int) async {
            var names = stream.makeAsyncIterator()
            for _ in 0..<count { _ = await names.next() }
        }
    }

    private func add(_ name: String, after pause: Duration, to timers: TransferTimers) -> TransferTimers.Key {
        timers.add(after: pause) { [fired] in fired.note(name) }
    }

    @Test("timers fire in the order of their times, with one sleeping task")
    func order() async {
        let timers = TransferTimers(clock)
        _ = add("third", after: .seconds(30), to: timers)
        await clock.untilSleeping(before: .seconds(30))
        _ = add("first", after: .seconds(10), to: timers)
        await clock.untilSleeping(before: .seconds(10))
        _ = add("second", after: .seconds(10), to: timers)
        clock.advance(by: .seconds(10))
        await fired.wait(for: 2)
        #expect(fired.all == ["first", "second"])
        await clock.untilSleeping(before: .seconds(30))
        clock.advance(by: .seconds(20))
        await fired.wait(for: 1)
        #expect(fired.all == ["first", "second", "third"])
    }

    @Test("a timer that was removed does not fire, and its task serves the next")
    func removal() async {
        let timers = TransferTimers(clock)
        let removed = add("removed", after: .seconds(10), to: timers)
        await clock.untilSleeping(before: .seconds(10))
        timers.remove(removed)
        _ = add("next", after: .seconds(15), to: timers)
        #expect(!clock.isSleeping(after: .seconds(10)))
        clock.advance(by: .seconds(10))
        await clock.untilSleeping(before: .seconds(15))
        clock.advance(by: .seconds(5))
        await fired.wait(for: 1)
        #expect(fired.all == ["next"])
    }

    @Test(
        "a time that has passed, and any time of the domain, is a timer",
        arguments: [Duration.zero, .seconds(-5), .seconds(Int64.min)])
    func passed(pause: Duration) async {
        let timers = TransferTimers(clock)
        _ = add("now", after: pause, to: timers)
        await fired.wait(for: 1)
        #expect(fired.all == ["now"])
    }
}
