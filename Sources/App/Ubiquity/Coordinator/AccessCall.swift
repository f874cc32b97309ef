import Foundation
import Synchronization

/// One access on its way to its accessor, as what calls it off sees it: whatever it waits for, a claim or bytes, can be dropped at any time
/// until the accessor runs.
final class AccessCall: Sendable {
    private struct State {
        var isCancelled = false
        var hasBegun = false
        /// Drops what it waits for now.
        var drop: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let onEnd: @Sendable () -> Void

    /// - Parameter onEnd: Called once, when there is nothing left to call off.
    init(onEnd: @escaping @Sendable () -> Void = {}) { self.onEnd = onEnd }

    /// It waits for something from now on. Calls `drop` at once where it was cancelled before.
    func wait(_ drop: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            state.drop = drop
            return state.isCancelled
        }
        if isCancelled { drop() }
    }

    /// The accessor runs now, unless this throws.
    func begin() throws(CoordinationFailure) {
        let isCancelled = state.withLock { state in
            state.drop = nil
            state.hasBegun = !state.isCancelled
            return state.isCancelled
        }
        onEnd()
        if isCancelled { throw .cancelled }
    }

    /// It failed.
    func end() {
        state.withLock { $0.drop = nil }
        onEnd()
    }

    /// Calls it off, unless its accessor runs already.
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
