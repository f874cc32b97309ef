import Basics
import LocalMetadata
import Testing

@testable import Sync

@Suite("The pace of key-value stores")
struct KeyValueThrottleTests {
    private let busy = ContainerID(1)
    private let quiet = ContainerID(2)
    private let start = Timestamp(seconds: 1_800_000_000)

    @Test("a store that tells all the time holds up itself, and no other one")
    func apart() {
        let pace = KeyValueThrottle()
        for _ in 0..<15 {
            #expect(pace.mayTell(of: busy, at: start, isHurried: false))
            pace.noteTold(of: busy, at: start)
        }
        #expect(!pace.mayTell(of: busy, at: start, isHurried: false))
        #expect(pace.mayTell(of: busy, at: start, isHurried: true))
        #expect(pace.mayTell(of: quiet, at: start, isHurried: false))
        let later = start.adding(KeyValueThrottle.pause)
        #expect(pace.mayTell(of: busy, at: later, isHurried: false))
        pace.noteTold(of: quiet, at: later)
        pace.noteTold(of: busy, at: later)
        #expect(!pace.mayTell(of: busy, at: later, isHurried: false), "another store's turn gives it none")
        #expect(!pace.mayTell(of: busy, at: start, isHurried: false), "a clock that was set back gives nothing")
    }
}
