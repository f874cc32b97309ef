import Coordination
import Mount
import Synchronization

/// The turn of a program that opened a file which others hold.
final class PlainTurn: WaitingTurn {
    private enum State {
        case waiting((@Sendable (TurnOutcome) -> Void)?)
        /// It is over, and nobody listened yet.
        case over(TurnOutcome)
        case told
    }

    private let state = Mutex(State.waiting(nil))
    private let calledOff: @Sendable () -> Void

    /// - Parameter calledOff: Makes the arbiter end the request.
    init(calledOff: @escaping @Sendable () -> Void) { self.calledOff = calledOff }

    func whenOver(_ tell: @escaping @Sendable (TurnOutcome) -> Void) {
        let outcome = state.withLock { state -> TurnOutcome? in
            guard case .over(let outcome) = state else {
                state = .waiting(tell)
                return nil
            }
            state = .told
            return outcome
        }
        if let outcome { tell(outcome) }
    }

    func giveUp() {
        let end = state.withLock { state -> (@Sendable () -> Void)? in
            if case .over(.come(let end)) = state {
                state = .told
                return end
            }
            return nil
        }
        end?()
        calledOff()
    }

    /// Makes the arbiter end the request, if it has not come; who listens is told.
    func callOff() { calledOff() }

    func finish(_ outcome: TurnOutcome) {
        let tell = state.withLock { state -> (@Sendable (TurnOutcome) -> Void)? in
            guard case .waiting(let tell) = state else { return nil }
            state = tell == nil ? .over(outcome) : .told
            return tell
        }
        tell?(outcome)
    }

    /// What has come already.
    var outcome: TurnOutcome? {
        state.withLock { state in
            if case .over(let outcome) = state { outcome } else { nil }
        }
    }
}
