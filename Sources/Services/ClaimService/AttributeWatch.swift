import CloudModel
import Coordination
import LocalMetadata
import Logging
import Sync
import Synchronization
import VirtualFileSystem

/// Notifies presenters of changes to their items' ubiquity attributes. While there are presenters, it checks ten times
/// a second, and only after database writes or during transfers; each check covers a bounded number of presenters, so
/// its cost stays constant.
package final class AttributeWatch: Sendable {
    private struct State {
        var seen: [PresenterID: UbiquityFacts?] = [:]
        /// The presenters still to be checked since the last change.
        var due: [PresenterID] = []
        var writes: UInt64 = 0
    }

    /// Shorter than an edit rests before it is uploaded, so that no change is missed.
    static let period = Duration.milliseconds(100)
    /// Presenters per check: a few milliseconds of work.
    private static let share = 50

    private let state = Mutex(State())
    private let count = Atomic(0)
    private let added = Wakeup()

    var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    /// Waits until the next check is due. Without presenters nothing runs, as a timer firing ten times a second keeps
    /// an idle machine from sleeping. Returns early if the task is cancelled.
    package func untilDue(clock: any Clock<Duration> = .continuous) async {
        while isEmpty, !Task.isCancelled { await added.wait(atMost: .seconds(3_600), clock: clock) }
        // Only cancellation ends the sleep early.
        try? await clock.sleep(for: Self.period)
    }

    func add(_ presenter: PresenterID) {
        state.withLock { state in
            state.seen[presenter] = .some(nil)
            state.due.append(presenter)
            count.store(state.seen.count, ordering: .relaxed)
        }
        added.ring()
    }

    func remove(_ presenter: PresenterID) {
        state.withLock { state in
            state.seen[presenter] = nil
            count.store(state.seen.count, ordering: .relaxed)
        }
    }

    /// - Parameters:
    ///   - writes: The number of database writes so far.
    ///   - facts: Returns a presenter's current item and its facts; nil if unknown.
    /// - Returns: The changed attributes, each item once.
    func look(
        writes: UInt64, isMoving: Bool, _ facts: (PresenterID) -> (item: ItemNumber, facts: UbiquityFacts)?
    ) -> [ItemNumber: UbiquityAttributes] {
        let due = state.withLock { state -> [PresenterID] in
            if state.due.isEmpty, isMoving || writes != state.writes {
                state.due = state.seen.keys.sorted()
                state.writes = writes
            }
            defer { state.due.removeFirst(min(Self.share, state.due.count)) }
            return Array(state.due.prefix(Self.share))
        }
        var changes: [ItemNumber: UbiquityAttributes] = [:]
        for presenter in due {
            guard let (item, now) = facts(presenter) else { continue }
            let before = state.withLock { state -> UbiquityFacts? in
                guard let before = state.seen[presenter] else { return nil }
                state.seen[presenter] = now
                return before
            }
            let changed = before.map { now.changes(since: $0) } ?? []
            if !changed.isEmpty { changes[item, default: []].formUnion(changed) }
        }
        return changes
    }
}

/// An item's observable state.
struct UbiquityFacts: Equatable, Sendable {
    private let status: DocumentStatus

    init(_ status: DocumentStatus) { self.status = status }

    func changes(since other: UbiquityFacts) -> UbiquityAttributes {
        let changed = DocumentFact.allCases.filter { $0.isObservable && status.state[$0] != other.status.state[$0] }
        var attributes = UbiquityAttributes(changed.map { UbiquityAttributes($0) })
        if status.container != other.status.container { attributes.insert(.containerDisplayName) }
        return attributes
    }
}
