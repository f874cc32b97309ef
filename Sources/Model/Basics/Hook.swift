import Synchronization

/// A callback that is set later, and that any thread may call.
///
/// Not a `Mutex` of the function itself: each reading of that one wraps the function once more, each wrapping is a frame of every later
/// call, and after some ten thousand readings the stack ends.
package final class Hook<Argument>: Sendable {
    private struct State {
        var action: (@Sendable (Argument) -> Void)?
    }

    private let state = Mutex(State())

    package init() {}

    /// Calls `action` from now on, instead of one that was set before.
    package func set(_ action: @escaping @Sendable (Argument) -> Void) { state.withLock { $0.action = action } }

    /// Calls what is set, on this thread and with no lock held. Does nothing before.
    package func callAsFunction(_ argument: Argument) {
        let action = state.withLock { $0.action }
        action?(argument)
    }
}

extension Hook<Void> {
    package func callAsFunction() { self(()) }
}
