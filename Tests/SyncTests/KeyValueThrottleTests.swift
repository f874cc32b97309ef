import Basics
import LocalMetadata
import Testing

@testable import Sync

@Suite("Throttling of key-value stores")
struct KeyValueThrottleTests {
    private let busy = ContainerID(1)
    private let quiet = ContainerID(2)
    private let start = Timestamp(seconds: 1_800_000_000)

    @Test("a store that is written constantly delays only itself")
    func apart() {
        let throttle = KeyValueThrottle()
        for _ in 0..<15 {
            #expect(throttle.maySend(of: busy, at: start, isUrgent: false))
            throttle.noteSent(of: busy, at: start)
        }
        #expect(!throttle.maySend(of: busy, at: start, isUrgent: false))
        #expect(throttle.maySend(of: busy, at: start, isUrgent: true))
        #expect(throttle.maySend(of: quiet, at: start, isUrgent: false))
        let later = start.adding(KeyValueThrottle.pause)
        #expect(throttle.maySend(of: busy, at: later, isUrgent: false))
        throttle.noteSent(of: quiet, at: later)
        throttle.noteSent(of: busy, at: later)
        #expect(!throttle.maySend(of: busy, at: later, isUrgent: false), "another store's turn gives it none")
        #expect(!throttle.maySend(of: busy, at: start, isUrgent: false), "a clock that was set back gives nothing")
    }
}
