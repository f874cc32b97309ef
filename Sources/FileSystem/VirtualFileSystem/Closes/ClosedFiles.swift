import Synchronization

/// The closes that wait for a transaction, and those that one has recorded.
final class ClosedFiles: Sendable {
    private struct State {
        var waiting: [WaitingClose] = []
        /// How many the running transaction has taken. It may still fail.
        var takenCount = 0
        /// Recorded or withdrawn; their claims are to be released.
        var settled: [WaitingClose] = []
        var isTimerRunning = false
    }

    enum Action: Equatable {
        case none
        case startTimer
        /// So many wait that the caller records them itself.
        case record
    }

    /// The maximum number of closes that wait.
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

    /// Whether every close is committed, so that there is nothing to record or to wait for.
    var isEmpty: Bool {
        state.withLock { state in state.takenCount == 0 && !state.waiting.contains(where: \.isPending) }
    }

    /// Takes the closes that wait, for the write transaction that calls it. It has to be followed by ``end(_:isCommitted:)`` before the next
    /// transaction begins.
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

    /// Ends the transaction that took `closes`.
    func end(_ closes: [WaitingClose], isCommitted: Bool) {
        for close in closes { close.end(isCommitted: isCommitted) }
        state.withLock { state in
            state.takenCount = 0
            if isCommitted { state.settled += closes } else { state.waiting = closes + state.waiting }
        }
    }

    /// Returns the closes whose files can be released, once.
    func takeSettled() -> [WaitingClose] {
        state.withLock { state in
            var waiting: [WaitingClose] = []
            // Each is asked once, since it may be withdrawn at any time.
            for close in state.waiting {
                if close.isPending { waiting.append(close) } else { state.settled.append(close) }
            }
            state.waiting = waiting
            defer { state.settled = [] }
            return state.settled
        }
    }

    /// Removes all that wait, which no transaction could record.
    func removeWaiting() -> [WaitingClose] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
