import Foundation
import Synchronization

/// An access's cancellation handle. While waiting for a claim or for bytes, the access can be cancelled at any time
/// until the accessor runs.
final class AccessCall: Sendable {
    private struct State {
        var isCancelled = false
        var hasBegun = false
        /// Cancels the current wait.
        var drop: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let onEnd: @Sendable () -> Void

    /// - Parameter onEnd: Called once, when there is nothing left to cancel.
    init(onEnd: @escaping @Sendable () -> Void = {}) { self.onEnd = onEnd }

    /// Records a wait of the access. Calls `drop` immediately if the access is already cancelled.
    func wait(_ drop: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            state.drop = drop
            return state.isCancelled
        }
        if isCancelled { drop() }
    }

    /// Marks the accessor as running, or throws if the access is cancelled.
    func begin() throws(CoordinationFailure) {
        let isCancelled = state.withLock { state in
            state.drop = nil
            state.hasBegun = !state.isCancelled
            return state.isCancelled
        }
        onEnd()
        if isCancelled { throw .cancelled }
    }

    /// Ends a failed access.
    func end() {
        state.withLock { $0.drop = nil }
        onEnd()
    }

    /// Cancels the access, unless its accessor runs already.
    func cancel() {
        let drop = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.hasBegun else { return nil }
            state.isCancelled = true
            return state.drop
        }
        drop?()
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }
}
