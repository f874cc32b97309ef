import Sync
import Synchronization
import Testing

@Suite("Wakeup")
struct WakeupTests {
    /// A clock with immediate sleeps, or sleeps that end only on cancellation.
    private struct FixedClock: Clock {
        let isInstant: Bool
        let now = ContinuousClock.now
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            if isInstant { return }
            let (stream, end) = AsyncStream<Void>.makeStream()
            for await _ in stream {}
            end.finish()
            try Task.checkCancellation()
        }
    }

    private final class Order: Sendable {
        let events = Mutex<[String]>([])

        func note(_ event: String) { events.withLock { $0.append(event) } }
    }

    @Test("a waiter that timed out before waits again until the next ring")
    func waitsAgain() async {
        let bell = Wakeup()
        for _ in 1...3 { await bell.wait(atMost: .seconds(1), clock: FixedClock(isInstant: true)) }
        let order = Order()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await bell.wait(atMost: .seconds(1), clock: FixedClock(isInstant: false))
                order.note("woken")
            }
            for _ in 1...1000 { await Task.yield() }
            order.note("rung")
            bell.ring()
        }
        #expect(order.events.withLock { $0 } == ["rung", "woken"])
    }

    @Test("a ring without a waiter is kept, and several count as one")
    func ringsAreKept() async {
        let bell = Wakeup()
        bell.ring()
        bell.ring()
        await bell.wait(atMost: .seconds(1), clock: FixedClock(isInstant: false))
        // The two rings counted as a single ring, so only the clock ends this wait.
        await bell.wait(atMost: .seconds(1), clock: FixedClock(isInstant: true))
    }
}
