import Synchronization

/// Closes waiting for a transaction, and recorded ones.
final class ClosedFiles: Sendable {
    private struct State {
        var waiting: [WaitingClose] = []
        /// The number taken by the running transaction. It may still fail.
        var takenCount = 0
        /// Recorded or withdrawn; their claims are to be released.
        var settled: [WaitingClose] = []
        var isTimerRunning = false
    }

    enum Action: Equatable {
        case none
        case startTimer
        /// Too many are waiting: the caller records them itself.
        case record
    }

    /// The maximum number of waiting closes.
    static let limit = 256

    private let state = Mutex(State())

    func add(_ close: WaitingClose) -> Action {
        state.withLock { state in
            state.waiting.append(close)
            guard state.waiting.count < Self.limit else { return .record }
            guard !state.isTimerRunning else { return .none }
            state.isTimerRunning = true
            return .startTimer
        }
    }

    func timerEnded() { state.withLock { $0.isTimerRunning = false } }

    /// Whether every close is committed: nothing to record or to wait for.
    var isEmpty: Bool {
        state.withLock { state in state.takenCount == 0 && !state.waiting.contains(where: \.isPending) }
    }

    /// Takes the waiting closes, for the calling write transaction. It has to be followed by ``end(_:isCommitted:)``
    /// before the next transaction begins.
    func take() -> [WaitingClose] {
        state.withLock { state in
            guard !state.waiting.isEmpty else { return [] }
            var taken: [WaitingClose] = []
            for close in state.waiting {
                if close.take() { taken.append(close) } else { state.settled.append(close) }
            }
            state.waiting = []
            state.takenCount = taken.count
            return taken
        }
    }

    /// Notes the end of the transaction for `closes`.
    func end(_ closes: [WaitingClose], isCommitted: Bool) {
        for close in closes { close.end(isCommitted: isCommitted) }
        state.withLock { state in
            state.takenCount = 0
            if isCommitted { state.settled += closes } else { state.waiting = closes + state.waiting }
        }
    }

    /// Returns the closes whose files can be released, each only once.
    func takeSettled() -> [WaitingClose] {
        state.withLock { state in
            var waiting: [WaitingClose] = []
            // Each is checked once, since it may be withdrawn at any time.
            for close in state.waiting {
                if close.isPending { waiting.append(close) } else { state.settled.append(close) }
            }
            state.waiting = waiting
            defer { state.settled = [] }
            return state.settled
        }
    }

    /// Removes all waiting closes, since no transaction could record them.
    func removeWaiting() -> [WaitingClose] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
