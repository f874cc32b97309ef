import Synchronization

/// A doorbell: rung any number of times, it wakes its one waiter once.
///
/// No stream: an `AsyncStream` whose reader is cancelled, as the loser of a race against time is, has ended for good.
package final class Wakeup: Sendable {
    private struct State {
        var isRung = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    package func ring() {
        let waiter = state.withLock { state in
            state.isRung = state.waiter == nil
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Returns when the bell was rung since the last call, or the time is over.
    func wait(atMost duration: Duration, clock: any Clock<Duration>) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.nextRing() }
            // Cancelled by the other; that is its only way to fail.
            group.addTask { try? await clock.sleep(for: duration) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Returns at the next ring, or when the task is cancelled: a ring that comes then is kept for the next call.
    private func nextRing() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if !state.withLock({ Self.enter(continuation, &$0) }) { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiter.take() }?.resume()
        }
    }

    /// False where there is nothing to wait for.
    private static func enter(_ waiter: CheckedContinuation<Void, Never>, _ state: inout State) -> Bool {
        guard !Task.isCancelled else { return false }
        guard !state.isRung else {
            state.isRung = false
            return false
        }
        state.waiter = waiter
        return true
    }
}
