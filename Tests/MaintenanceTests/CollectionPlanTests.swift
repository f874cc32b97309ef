import Basics
import CloudModel
import ContainerLog
import TestSupport
import Testing

@testable import Maintenance

@Suite("The steps of a collection")
struct CollectionPlanTests {
    private let now = Timestamp(seconds: 2_000_000)

    private func collection(_ epoch: UInt64, _ phase: CollectionPhase) -> ProposedCollection {
        let list = ContentReference(digest: Digest(words: (epoch, 0, 0, 0)), size: 9, layout: .chunk)
        return ProposedCollection(epoch: epoch, list: list, phase: phase)
    }

    private func seconds(before seconds: Int) -> Timestamp { now.adding(.seconds(-seconds)) }

    private func tally(stored: UInt64, garbage: UInt64) -> CollectionTally {
        var tally = CollectionTally()
        (tally.storedBytes, tally.garbageBytes) = (stored, garbage)
        (tally.storedChunks, tally.garbageChunks) = (stored, garbage)
        return tally
    }

    @Test("A proposal rests for a day after this device first saw it, and nothing else is proposed meanwhile")
    func rests() {
        for purpose in [CollectionPlan.Purpose.requested, .automatic] {
            var plan = CollectionPlan(purpose)
            let early = [UInt64(1): seconds(before: 86_399)]
            #expect(plan.handle(.folded([collection(1, .proposed)], proposed: early, now: now)) == .measure)
            #expect(plan.handle(.measured(tally(stored: 10, garbage: 9))) == .end)
            var later = CollectionPlan(purpose)
            let due = [UInt64(1): seconds(before: 86_400)]
            #expect(later.handle(.folded([collection(1, .proposed)], proposed: due, now: now)) == .begin(1))
            #expect(later.handle(.began(1)) == .remove(1))
            #expect(later.handle(.removed(1)) == .finish(1))
            #expect(later.handle(.finished(1)) == .measure)
            #expect(later.handle(.measured(tally(stored: 10, garbage: 9))) == .propose)
            #expect(later.handle(.proposed) == .end)
        }
    }

    @Test("Collections that have begun are finished in their order, those that are done are left alone")
    func resumes() {
        var plan = CollectionPlan(.requested)
        let all = [collection(3, .begun), collection(1, .done), collection(2, .begun), collection(4, .proposed)]
        let times = [UInt64(4): now]
        #expect(plan.handle(.folded(all, proposed: times, now: now)) == .remove(2))
        #expect(plan.handle(.removed(2)) == .finish(2))
        #expect(plan.handle(.finished(2)) == .remove(3))
        #expect(plan.handle(.removed(3)) == .finish(3))
        #expect(plan.handle(.finished(3)) == .measure)
    }

    @Test("A proposal of which it is not known when it was seen rests")
    func unknown() {
        var plan = CollectionPlan(.requested)
        #expect(plan.handle(.folded([collection(1, .proposed)], proposed: [:], now: now)) == .measure)
    }

    @Test("A collection by itself is worth it above a fifth, a requested one for any garbage, a dry run never")
    func worth() {
        func action(_ purpose: CollectionPlan.Purpose, garbage: UInt64) -> CollectionPlan.Action {
            var plan = CollectionPlan(purpose)
            _ = plan.handle(.folded([], proposed: [:], now: now))
            return plan.handle(.measured(tally(stored: 100, garbage: garbage)))
        }
        #expect(action(.automatic, garbage: 20) == .end)
        #expect(action(.automatic, garbage: 21) == .propose)
        #expect(action(.requested, garbage: 1) == .propose)
        #expect(action(.requested, garbage: 0) == .end)
        #expect(action(.dryRun, garbage: 100) == .end)
    }

    @Test("A dry run begins and removes nothing, whatever is open")
    func dryRun() {
        var plan = CollectionPlan(.dryRun)
        let all = [collection(1, .begun), collection(2, .proposed)]
        #expect(plan.handle(.folded(all, proposed: [2: seconds(before: 1_000_000)], now: now)) == .measure)
        #expect(plan.handle(.measured(tally(stored: 10, garbage: 10))) == .end)
    }

    @Test("Every chunk that was inserted is needed, in any order and number")
    func neededChunks() {
        var random = SeededGenerator(seed: 3)
        var needed = NeededChunks()
        let ids = (0..<200_000).map { _ in ChunkID(words: (random.next(), 0, 0, 0)) }
        for id in ids { needed.insert(id) }
        needed.seal()
        #expect(ids.allSatisfy { needed.contains($0) })
        let others = (0..<1_000).map { _ in ChunkID(words: (random.next(), 0, 0, 0)) }
        #expect(others.allSatisfy { !needed.contains($0) })
        #expect(!NeededChunks().contains(ids[0]))
    }

    @Test("A device looks for garbage a day after it began, then once a day, also after its clock was set back")
    func schedule() {
        #expect(!CollectionSchedule.isDue(last: nil, now: now))
        #expect(!CollectionSchedule.isDue(last: seconds(before: 86_399), now: now))
        #expect(CollectionSchedule.isDue(last: seconds(before: 86_400), now: now))
        #expect(CollectionSchedule.isDue(last: seconds(before: -1), now: now))
    }
}
