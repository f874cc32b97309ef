import Sync
import Testing

@Suite("Bursts of changes")
struct BurstDelayTests {
    @Test("a save is sent at once, however many come one after the other")
    func saves() {
        var burst = BurstDelay()
        for save in 1...10 as ClosedRange<UInt64> {
            burst.look(save * 5)
            #expect(burst.delay(save * 5 + 5) == nil)
        }
    }

    @Test("a burst is sent when it is over")
    func over() {
        var burst = BurstDelay()
        burst.look(0)
        #expect(burst.delay(100) == BurstDelay.step)
        #expect(burst.delay(200) == BurstDelay.step)
        #expect(burst.delay(200 + BurstDelay.burst - 1) == nil)
    }

    @Test("changes that never end are sent after the longest delay, and the next burst is delayed again")
    func endless() {
        var burst = BurstDelay()
        var (changes, delayed) = (UInt64.max - 500, Duration.zero)
        burst.look(changes)
        for _ in 1...1000 {
            changes &+= BurstDelay.burst
            delayed += burst.delay(changes) ?? .zero
        }
        #expect(delayed == BurstDelay.limit)
        #expect(burst.delay(changes) == nil)
        #expect(burst.delay(changes &+ BurstDelay.burst) == BurstDelay.step)
    }
}
