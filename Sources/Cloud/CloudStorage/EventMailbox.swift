import Synchronization

/// Queues events for a single reader, without repetitions: for a slow reader at most one event per container is queued.
package final class EventMailbox: Sendable {
    private struct State {
        var waiting: [CloudEvent] = []
        var reader: CheckedContinuation<CloudEvent?, Never>?
        var isOver = false
    }

    private let state = Mutex(State())

    package init() {}

    package func post(_ event: CloudEvent) {
        let reader = state.withLock { state -> CheckedContinuation<CloudEvent?, Never>? in
            guard !state.isOver else { return nil }
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            if !state.waiting.contains(event) { state.waiting.append(event) }
            return nil
        }
        reader?.resume(returning: event)
    }

    /// Returns the next event; nil after ``end()``, or immediately for a second concurrent reader.
    package func next() async -> CloudEvent? {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> CloudEvent?? in
                if !state.waiting.isEmpty { return .some(state.waiting.removeFirst()) }
                guard !state.isOver, state.reader == nil else { return .some(nil) }
                state.reader = continuation
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    package func end() {
        let reader = state.withLock { state -> CheckedContinuation<CloudEvent?, Never>? in
            state.isOver = true
            state.waiting = []
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }
}
