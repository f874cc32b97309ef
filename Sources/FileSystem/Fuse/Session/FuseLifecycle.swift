package import Basics
import Synchronization

/// The reason why a session is over.
package enum FuseEnding: Sendable, Equatable {
    /// The mount is gone, removed by this process or from outside.
    case unmounted
    /// ``FuseSession/stop()`` ended the session.
    case stopped
    /// Reading requests failed.
    case failed(Errno)
}

/// The state of a session (starting, serving, ended) and its waiters.
final class FuseLifecycle: Sendable {
    private struct State {
        var agreement: FuseAgreement?
        var isStopping = false
        var firstFailure: Errno?
        var ending: FuseEnding?
        var isClosing = false
        var waitingForStart: [CheckedContinuation<Void, Never>] = []
        var waitingForEnd: [CheckedContinuation<FuseEnding, Never>] = []
    }

    private let state = Mutex(State())

    var agreement: FuseAgreement? { state.withLock { $0.agreement } }
    var isStopping: Bool { state.withLock { $0.isStopping } }
    /// Whether the serving threads have to end.
    var isClosing: Bool { state.withLock { $0.isClosing } }
    var ending: FuseEnding? { state.withLock { $0.ending } }

    func markServing(_ agreement: FuseAgreement) {
        let waiting = state.withLock { state in
            state.agreement = agreement
            defer { state.waitingForStart = [] }
            return state.waitingForStart
        }
        for continuation in waiting { continuation.resume() }
    }

    func requestStop() { state.withLock { $0.isStopping = true } }

    func noteFailure(_ error: Errno) { state.withLock { $0.firstFailure = $0.firstFailure ?? error } }

    /// Returns true to the first caller, which then has to close the connection.
    func beginClosing() -> Bool {
        state.withLock { state in
            defer { state.isClosing = true }
            return !state.isClosing
        }
    }

    func markEnded() {
        let (ending, starts, ends) = state.withLock { state in
            let ending: FuseEnding =
                if let failure = state.firstFailure { .failed(failure) } else if state.isStopping { .stopped } else {
                    .unmounted
                }
            state.ending = ending
            defer { (state.waitingForStart, state.waitingForEnd) = ([], []) }
            return (ending, state.waitingForStart, state.waitingForEnd)
        }
        for continuation in starts { continuation.resume() }
        for continuation in ends { continuation.resume(returning: ending) }
    }

    /// Returns once the kernel's first request is replied to, or immediately if the session has ended.
    func waitForStart() async {
        await withCheckedContinuation { continuation in
            let isDue = state.withLock { state in
                let isDue = state.agreement != nil || state.ending != nil
                if !isDue { state.waitingForStart.append(continuation) }
                return isDue
            }
            if isDue { continuation.resume() }
        }
    }

    func waitForEnd() async -> FuseEnding {
        await withCheckedContinuation { continuation in
            let ending = state.withLock { state in
                if state.ending == nil { state.waitingForEnd.append(continuation) }
                return state.ending
            }
            if let ending { continuation.resume(returning: ending) }
        }
    }
}
