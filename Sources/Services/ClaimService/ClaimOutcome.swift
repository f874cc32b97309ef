import Basics
package import Coordination

/// The outcome of a request for a claim: set once, perhaps before it is awaited.
package final class ClaimOutcome: Sendable {
    package typealias Value = Result<[ItemKey], ClaimError>

    private struct State {
        var value: Value?
        var waiter: AsyncStream<Value>.Continuation?
    }

    private let state = RankedMutex(.leaf, State())

    package init() {}

    package func put(_ value: Value) {
        let waiter = state.withLock { state in
            state.value = value
            return state.waiter.take()
        }
        waiter?.yield(value)
        waiter?.finish()
    }

    /// The outcome; nil until it is decided.
    package var now: Value? { state.withLock { $0.value } }

    /// The items, once the claim is granted. May be awaited once. Throws ``ClaimError``, or `CancellationError` when the task is cancelled.
    package var items: [ItemKey] {
        get async throws {
            let (values, waiter) = AsyncStream<Value>.makeStream()
            let known = state.withLock { state in
                if state.value == nil { state.waiter = waiter }
                return state.value
            }
            if let known { return try known.get() }
            for await value in values { return try value.get() }
            // The client has disconnected: the stream ends with the task.
            throw CancellationError()
        }
    }
}
