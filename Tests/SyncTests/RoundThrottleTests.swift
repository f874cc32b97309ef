import Sync
import Synchronization
import Testing

@Suite("RoundThrottle")
struct RoundThrottleTests {
    /// A clock advanced only by its sleeps and the test. It records the sleeps.
    private final class CountingClock: Clock, Sendable {
        private let slept = Mutex<[Duration]>([])
        private let time = Mutex(ContinuousClock.now)
        var now: ContinuousClock.Instant { time.withLock { $0 } }
        var minimumResolution: Duration { .zero }
        var sleeps: [Duration] { slept.withLock { $0 } }

        func advance(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            let duration = now.duration(to: deadline)
            slept.withLock { $0.append(duration) }
            advance(by: duration)
        }
    }

    private let clock = CountingClock()

    /// Runs a round of the duration `length` and returns the pauses after it.
    private func rest(after length: Duration, didWork: Bool) async throws -> [Duration] {
        let answer = try await RoundThrottle(clock: clock).beat(gap: .milliseconds(250)) {
            clock.advance(by: length)
            return didWork
        }
        #expect(answer == didWork)
        return clock.sleeps
    }

    @Test("a short round that did work is followed by the rest of the minimum interval")
    func rests() async throws {
        #expect(try await rest(after: .milliseconds(30), didWork: true) == [.milliseconds(220)])
    }

    @Test("a round longer than the minimum interval needs no pause")
    func longRound() async throws {
        #expect(try await rest(after: .seconds(1), didWork: true).isEmpty)
    }

    @Test("a round that found no work delays no caller")
    func idleRound() async throws {
        #expect(try await rest(after: .milliseconds(30), didWork: false).isEmpty)
    }
}
