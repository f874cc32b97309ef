import Basics
import Coordination
import VirtualFileSystem

/// The permit of a program opening a file held by other clients.
final class PlainPermit: PendingPermit {
    private enum State {
        case waiting((@Sendable (PermitOutcome) -> Void)?)
        /// The outcome is known, and there is no listener yet.
        case over(PermitOutcome)
        case delivered
        /// Abandoned before a listener was registered. The permit may still be granted, as a single thread delivers
        /// grants.
        case abandoned
    }

    private let state = RankedMutex(.leaf, State.waiting(nil))
    private let calledOff: @Sendable () -> Void

    /// - Parameter calledOff: Ends the request in the arbiter.
    init(calledOff: @escaping @Sendable () -> Void) { self.calledOff = calledOff }

    func whenDecided(_ listener: @escaping @Sendable (PermitOutcome) -> Void) {
        let outcome = state.withLock { state -> PermitOutcome? in
            switch state {
            case .over(let outcome):
                state = .delivered
                return outcome
            case .abandoned: return .cancelled
            case .waiting, .delivered:
                state = .waiting(listener)
                return nil
            }
        }
        if let outcome { listener(outcome) }
    }

    func cancel() {
        let end = state.withLock { state -> (@Sendable () -> Void)? in
            switch state {
            case .over(.granted(let end)):
                state = .delivered
                return end
            case .waiting(nil): state = .abandoned
            case .waiting, .over, .delivered, .abandoned: break
            }
            return nil
        }
        end?()
        calledOff()
    }

    /// Ends the request in the arbiter unless already granted; the listener is called.
    func callOff() { calledOff() }

    func finish(_ outcome: PermitOutcome) {
        let (listener, end) = state.withLock {
            state -> ((@Sendable (PermitOutcome) -> Void)?, (@Sendable () -> Void)?) in
            if case .abandoned = state, case .granted(let end) = outcome { return (nil, end) }
            guard case .waiting(let listener) = state else { return (nil, nil) }
            state = listener == nil ? .over(outcome) : .delivered
            return (listener, nil)
        }
        listener?(outcome)
        end?()
    }

    /// The outcome, if it is already known.
    var outcome: PermitOutcome? {
        state.withLock { state in
            if case .over(let outcome) = state { outcome } else { nil }
        }
    }
}
