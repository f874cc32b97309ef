import Basics

/// A doorbell: rung any number of times, it wakes its single waiter once.
package final class Wakeup: Sendable {
    private struct State {
        var isRung = false
        var waiter: CheckedContinuation<Void, Never>?

        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            defer { waiter = nil }
            return waiter
        }
    }

    private let state = RankedMutex(.leaf, State())

    package init() {}

    package func ring() {
        let waiter = state.withLock { state in
            let waiter = state.takeWaiter()
            state.isRung = waiter == nil
            return waiter
        }
        waiter?.resume()
    }

    /// Returns when the bell was rung since the last call, or after `duration`.
    package func wait(atMost duration: Duration, clock: any Clock<Duration>) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.untilRung() }
            // The sleep fails only when the other task cancels it.
            group.addTask { try? await clock.sleep(for: duration) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Returns when the bell is rung or the task is cancelled. Not an `AsyncStream`, because cancelling a wait for an element would end it
    /// for good.
    func untilRung() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if Task.isCancelled { return true }
                    if state.isRung {
                        state.isRung = false
                        return true
                    }
                    state.waiter = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.takeWaiter() }?.resume()
        }
    }
}
