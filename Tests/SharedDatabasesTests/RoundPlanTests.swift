import SharedDatabases
import Testing
import UbiquityData

@testable import SharedDatabases

@Suite("When shared files are looked at")
struct RoundPlanTests {
    private let start = ContinuousClock.now

    @Test("the first look is at once, and without changes none follows")
    func rest() {
        var plan = RoundPlan(at: start)
        #expect(plan.isDue(at: start))
        plan.begin()
        plan.finished(nil, at: start, jitter: 0.5)
        #expect(plan.wait(at: start) == nil)
        #expect(!plan.isDue(at: start + .seconds(86_400)))
    }

    @Test("changes are gathered, and lead to at most one look a second")
    func interval() {
        var plan = RoundPlan(at: start)
        var (now, looks) = (start, 0)
        // A program with a commit every millisecond for ten seconds.
        for _ in 0..<10_000 {
            plan.changed(at: now)
            if plan.isDue(at: now) {
                plan.begin()
                looks += 1
                plan.finished(nil, at: now, jitter: 0.5)
            }
            now = now.advanced(by: .milliseconds(1))
        }
        #expect((9...11).contains(looks), "\(looks)")
    }

    @Test("a change during a look leads to another one")
    func during() {
        var plan = RoundPlan(at: start)
        plan.begin()
        plan.changed(at: start)
        plan.finished(nil, at: start, jitter: 0.5)
        #expect(plan.wait(at: start) == RoundPlan.interval)
    }

    @Test("the pauses between retries grow up to the longest one, and changes do not shorten them")
    func backOff() {
        var plan = RoundPlan(at: start)
        var (now, pauses) = (start, [Duration]())
        for _ in 0..<200 {
            plan.begin()
            plan.finished(.later, at: now, jitter: 1)
            plan.changed(at: now)
            let pause = plan.wait(at: now)
            #expect(pause != nil)
            pauses.append(pause ?? .zero)
            now = now.advanced(by: pause ?? .zero)
        }
        #expect(pauses.prefix(3) == [.seconds(1), .seconds(2), .seconds(4)])
        #expect(pauses == pauses.sorted() && pauses.last == RoundPlan.longestPause)
        plan.begin()
        plan.finished(nil, at: now, jitter: 1)
        plan.begin()
        plan.finished(.later, at: now, jitter: 1)
        #expect(plan.wait(at: now) == RoundPlan.firstPause)
    }

    @Test("what a retry cannot change waits for a change, and then for the pause")
    func afterChange() {
        var plan = RoundPlan(at: start)
        plan.begin()
        plan.finished(.afterChange, at: start, jitter: 1)
        #expect(plan.wait(at: start) == nil)
        plan.changed(at: start)
        #expect(plan.wait(at: start) == RoundPlan.firstPause)
        plan.requested(at: start)
        #expect(plan.isDue(at: start))
    }
}
