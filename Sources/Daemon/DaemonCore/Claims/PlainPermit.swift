import Coordination
import Mount
import Synchronization

/// The turn of a program that opened a file which others hold.
final class PlainPermit: PendingPermit {
    private enum State {
        case waiting((@Sendable (PermitOutcome) -> Void)?)
        /// It is over, and nobody listened yet.
        case over(PermitOutcome)
        case told
        /// Given up before anybody listened. It may still come: a grant is delivered by one thread at a time.
        case abandoned
    }

    private let state = Mutex(State.waiting(nil))
    private let calledOff: @Sendable () -> Void

    /// - Parameter calledOff: Makes the arbiter end the request.
    init(calledOff: @escaping @Sendable () -> Void) { self.calledOff = calledOff }

    func whenOver(_ tell: @escaping @Sendable (PermitOutcome) -> Void) {
        let outcome = state.withLock { state -> PermitOutcome? in
            switch state {
            case .over(let outcome):
                state = .told
                return outcome
            case .abandoned: return .givenUp
            case .waiting, .told:
                state = .waiting(tell)
                return nil
            }
        }
        if let outcome { tell(outcome) }
    }

    func giveUp() {
        let end = state.withLock { state -> (@Sendable () -> Void)? in
            switch state {
            case .over(.come(let end)):
                state = .told
                return end
            case .waiting(nil): state = .abandoned
            case .waiting, .over, .told, .abandoned: break
            }
            return nil
        }
        end?()
        calledOff()
    }

    /// Makes the arbiter end the request, if it has not come; who listens is told.
    func callOff() { calledOff() }

    func finish(_ outcome: PermitOutcome) {
        let (tell, end) = state.withLock { state -> ((@Sendable (PermitOutcome) -> Void)?, (@Sendable () -> Void)?) in
            if case .abandoned = state, case .come(let end) = outcome { return (nil, end) }
            guard case .waiting(let tell) = state else { return (nil, nil) }
            state = tell == nil ? .over(outcome) : .told
            return (tell, nil)
        }
        tell?(outcome)
        end?()
    }

    /// What has come already.
    var outcome: PermitOutcome? {
        state.withLock { state in
            if case .over(let outcome) = state { outcome } else { nil }
        }
    }
}
