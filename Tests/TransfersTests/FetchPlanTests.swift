import Chunking
import CloudModel
import Testing

@testable import Transfers

@Suite struct FetchPlanTests {
    typealias Action = FetchPlan.Action

    /// Ten chunks of 100 bytes.
    private let manifest = Manifest((0..<10).map { ChunkEntry(id: .of([UInt8($0)]), length: 100) })

    private func plan(parallel: Int = 4, present: [Int] = []) -> FetchPlan {
        var plan = FetchPlan(size: 1_000, parallel: parallel)
        var bitmap = PresenceBitmap(count: 10)
        for index in present { bitmap.insert(index) }
        _ = plan.manifestArrived(manifest, present: bitmap, now: .zero)
        return plan
    }

    private func waiter(_ number: UInt64) -> FetchPlan.WaiterID { .init(number: number) }

    private func demand(_ plan: inout FetchPlan, _ number: UInt64, _ range: Range<UInt64>, now: Duration = .zero)
        -> [Action]
    {
        plan.demand(waiter(number), range, .demand, patience: .seconds(10), now: now)
    }

    @Test("The manifest is fetched first, once for all readers")
    func manifestFirst() {
        var plan = FetchPlan(size: 1_000)
        let first = plan.demand(waiter(1), 0..<1_000, .background, patience: nil, now: .zero)
        #expect(first == [.start(.manifest, .background)])
        let second = demand(&plan, 2, 500..<501)
        #expect(second == [.promote(.manifest)])
        let third = plan.manifestArrived(manifest, present: PresenceBitmap(count: 10), now: .zero)
        #expect(third.first == .start(.chunk(5), .demand))
    }

    @Test("Two readers of one chunk start its fetch once and succeed together")
    func sharedChunk() {
        var plan = plan()
        let first = demand(&plan, 1, 500..<501)
        let second = demand(&plan, 2, 510..<520)
        #expect(first == [.start(.chunk(5), .demand)])
        #expect(second == [])
        let done = plan.arrived(5, now: .zero)
        #expect(done == [.succeed(waiter(1)), .succeed(waiter(2))])
    }

    @Test(
        "A reader of a chunk that is fetched in the background promotes the fetch; for another chunk a fetch is started beside it"
    )
    func promotion() {
        var plan = plan(parallel: 2)
        let background = plan.demand(waiter(1), 0..<1_000, .background, patience: nil, now: .zero)
        #expect(background == [.start(.chunk(0), .background), .start(.chunk(1), .background)])
        let same = demand(&plan, 2, 150..<151)
        #expect(same == [.promote(.chunk(1))])
        let other = demand(&plan, 3, 950..<951)
        #expect(other == [.start(.chunk(9), .demand)])
    }

    @Test("Background fetches wait until readers leave slots free")
    func backgroundYields() {
        var plan = plan(parallel: 2)
        _ = plan.demand(waiter(1), 0..<1_000, .background, patience: nil, now: .zero)
        _ = demand(&plan, 2, 400..<600)
        let first = plan.arrived(0, now: .zero)
        #expect(first == [], "three are still in flight")
        _ = plan.arrived(4, now: .zero)
        let second = plan.arrived(5, now: .zero)
        #expect(second == [.succeed(waiter(2)), .start(.chunk(2), .background)])
    }

    @Test("A sequential reader gets more and more read-ahead, up to the window; a reader that seeks gets none")
    func readAhead() {
        var plan = plan(parallel: 8)
        let first = demand(&plan, 1, 0..<50)
        #expect(first == [.start(.chunk(0), .demand), .start(.chunk(1), .readAhead)])
        _ = plan.arrived(0, now: .zero)
        _ = plan.arrived(1, now: .zero)
        let second = plan.readOn(100..<150, now: .zero)
        #expect(second == [.start(.chunk(2), .readAhead), .start(.chunk(3), .readAhead)])
        let jump = demand(&plan, 2, 900..<901)
        #expect(jump == [.start(.chunk(9), .demand)])
    }

    @Test("Cancelling the last waiter cancels its fetch; cancelling an earlier one does not")
    func cancel() {
        var plan = plan()
        _ = demand(&plan, 1, 500..<501)
        _ = demand(&plan, 2, 500..<501)
        let first = plan.cancel(waiter(1))
        #expect(first == [])
        let last = plan.cancel(waiter(2))
        #expect(last == [.cancel(.chunk(5))])
    }

    @Test("A reader that arrives while a fetch is being cancelled gets a new one when it has ended")
    func cancelRace() {
        var plan = plan()
        _ = demand(&plan, 1, 500..<501)
        _ = plan.cancel(waiter(1))
        let late = demand(&plan, 2, 500..<501)
        #expect(late == [])
        let ended = plan.abandoned(.chunk(5), now: .zero)
        #expect(ended == [.start(.chunk(5), .demand)])
    }

    @Test(
        "After a temporary failure nothing starts until the pause is over, and fetches that failed together pause once"
    )
    func pause() {
        var plan = plan()
        _ = demand(&plan, 1, 0..<200)
        let offline = TransferError(.offline, "")
        _ = plan.failed(.chunk(0), offline, now: .zero, jitter: 1)
        let second = plan.failed(.chunk(1), offline, now: .zero, jitter: 1)
        #expect(second == [])
        #expect(plan.nextWake == BackOff.shortest)
        let early = plan.tick(now: .milliseconds(100))
        #expect(early == [])
        let due = plan.tick(now: BackOff.shortest)
        #expect(due == [.start(.chunk(0), .demand), .start(.chunk(1), .demand)])
    }

    @Test("Patience counts from the last chunk of the reader's own range, not from others'")
    func patience() {
        var plan = plan()
        _ = demand(&plan, 1, 0..<200)
        _ = demand(&plan, 2, 900..<901)
        _ = plan.arrived(0, now: .seconds(9))
        let first = plan.tick(now: .seconds(10))
        #expect(first == [.fail(waiter(2), TransferError(.stalled, ""))])
        let later = plan.tick(now: .seconds(18))
        #expect(later == [])
        let end = plan.tick(now: .seconds(19))
        #expect(end.first == .fail(waiter(1), TransferError(.stalled, "")))
        #expect(end.contains(.cancel(.chunk(1))), "no waiter is left to notice that it hangs")
    }

    @Test("A failed fetch without a waiter is not retried")
    func readAheadFailure() {
        var plan = plan(parallel: 8)
        _ = demand(&plan, 1, 0..<50)
        _ = plan.arrived(0, now: .zero)
        let failed = plan.failed(.chunk(1), TransferError(.notFound, ""), now: .zero, jitter: 0)
        #expect(failed == [])
        var unknown = FetchPlan(size: 1_000)
        _ = unknown.prefetch(0..<1, now: .zero)
        let manifest = unknown.failed(.manifest, TransferError(.notFound, ""), now: .zero, jitter: 0)
        #expect(manifest == [])
    }

    @Test("An empty range, one past the end and one that is present succeed at once")
    func nothingToDo() {
        var plan = plan(present: [3])
        #expect(demand(&plan, 1, 5..<5) == [.succeed(waiter(1))])
        #expect(demand(&plan, 2, 1_000..<2_000) == [.succeed(waiter(2))])
        #expect(demand(&plan, 3, 310..<390).first == .succeed(waiter(3)))
        #expect(plan.presentBytes == 100)
    }
}
