import Synchronization

/// A callback set later and callable from any thread.
///
/// It does not use a `Mutex` of the function itself: each read of such a mutex wraps the function once more, each
/// wrapper adds a frame to every later call, and after some ten thousand reads the stack overflows.
package final class Hook<Argument>: Sendable {
    private struct State {
        var action: (@Sendable (Argument) -> Void)?
    }

    private let state = Mutex(State())

    package init() {}

    /// Calls `action` from now on, instead of an earlier action.
    package func set(_ action: @escaping @Sendable (Argument) -> Void) { state.withLock { $0.action = action } }

    /// Calls the action on this thread with no lock held. Does nothing before it is set.
    package func callAsFunction(_ argument: Argument) {
        let action = state.withLock { $0.action }
        action?(argument)
    }
}

extension Hook<Void> {
    package func callAsFunction() { self(()) }
}
