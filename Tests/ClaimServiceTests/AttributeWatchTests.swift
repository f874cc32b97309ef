import CloudModel
import Coordination
import LocalMetadata
import TestSupport
import Testing

@testable import ClaimService
@testable import VirtualFileSystem

@Suite("Which ubiquity attributes changed")
struct AttributeWatchTests {
    private let item = ItemNumber(17)

    private func facts(isUploaded: Bool) -> UbiquityFacts {
        UbiquityFacts(
            DocumentStatus(
                state: DocumentState(isUploaded: isUploaded), pin: .inherited, effectivePin: .lazy,
                item: ItemID(high: 0, low: 1), container: .cloudDocs))
    }

    @Test("a change is reported once for each item; the first state of an item is not a change")
    func changes() {
        let watch = AttributeWatch()
        watch.add(PresenterID(1))
        watch.add(PresenterID(2))
        #expect(watch.look(writes: 1, isMoving: false) { _ in (item, facts(isUploaded: false)) }.isEmpty)
        let changes = watch.look(writes: 2, isMoving: false) { _ in (item, facts(isUploaded: true)) }
        #expect(changes == [item: UbiquityAttributes(.isUploaded)])
        #expect(watch.look(writes: 3, isMoving: false) { _ in (item, facts(isUploaded: true)) }.isEmpty)
    }

    @Test("items are not read while nothing was written and no transfer runs")
    func idle() {
        let watch = AttributeWatch()
        watch.add(PresenterID(1))
        var looks = 0
        for writes: UInt64 in [0, 5, 5, 5] {
            _ = watch.look(writes: writes, isMoving: false) { _ in
                looks += 1
                return nil
            }
        }
        #expect(looks == 2)
        _ = watch.look(writes: 5, isMoving: true) { _ in
            looks += 1
            return nil
        }
        #expect(looks == 3)
        watch.remove(PresenterID(1))
        #expect(watch.isEmpty)
    }

    @Test("without presenters no timer of the checks runs, until one is added")
    func rest() async {
        let (watch, clock) = (AttributeWatch(), ManualClock())
        let due = Task { await watch.untilDue(clock: clock) }
        await clock.untilSleeping(before: .seconds(3_600))
        #expect(!clock.isSleeping(before: .seconds(3_599)))
        watch.add(PresenterID(1))
        await clock.untilSleeping(before: AttributeWatch.period)
        clock.advance(by: AttributeWatch.period)
        await due.value
    }

    @Test("a wait for the first presenter ends when it is cancelled")
    func cancellation() async {
        let watch = AttributeWatch()
        let due = Task { await watch.untilDue() }
        due.cancel()
        await due.value
    }
}
