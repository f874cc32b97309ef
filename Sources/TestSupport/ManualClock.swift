import Synchronization

/// A clock advanced only by a test. Sleepers wait until it has reached their deadline.
package final class ManualClock: Clock, Sendable {
    package struct Instant: InstantProtocol {
        package var offset: Duration
        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let id: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Sleeper] = []
        var watchers: [(offset: Duration, continuation: CheckedContinuation<Void, Never>)] = []
        var nextID = 0
    }

    private let state = Mutex(State())

    package init() {}

    package var now: Instant { state.withLock { $0.now } }
    package var minimumResolution: Duration { .nanoseconds(1) }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enter(Sleeper(id: id, deadline: deadline, continuation: $0)) }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    package func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now.offset += duration
            let now = state.now
            defer { state.sleepers.removeAll { $0.deadline <= now } }
            return state.sleepers.filter { $0.deadline <= now }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Whether a task sleeps until a deadline at most `offset` after the start.
    package func isSleeping(before offset: Duration) -> Bool {
        state.withLock { $0.sleepers.contains { $0.deadline.offset <= offset } }
    }

    /// Whether a task sleeps until a deadline later than `offset` after the start.
    package func isSleeping(after offset: Duration) -> Bool {
        state.withLock { $0.sleepers.contains { $0.deadline.offset > offset } }
    }

    /// Returns once a task sleeps until a deadline at most `offset` after the start.
    package func untilSleeping(before offset: Duration) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.sleepers.contains(where: { $0.deadline.offset <= offset }) { return true }
                state.watchers.append((offset, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    private func enter(_ sleeper: Sleeper) {
        enum Outcome { case cancelled, due, asleep([CheckedContinuation<Void, Never>]) }
        let outcome: Outcome = state.withLock { state in
            if Task.isCancelled { return .cancelled }
            if sleeper.deadline <= state.now { return .due }
            state.sleepers.append(sleeper)
            let ready = state.watchers.filter { $0.offset >= sleeper.deadline.offset }.map(\.continuation)
            state.watchers.removeAll { $0.offset >= sleeper.deadline.offset }
            return .asleep(ready)
        }
        switch outcome {
        case .cancelled: sleeper.continuation.resume(throwing: CancellationError())
        case .due: sleeper.continuation.resume()
        case .asleep(let watchers): for watcher in watchers { watcher.resume() }
        }
    }
}
