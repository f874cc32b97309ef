import Synchronization

/// Work that may happen after an operation has returned: hints and segments. Losing it costs only time.
final class BackgroundWork: Sendable {
    private struct State {
        var running: [String: Task<Void, Never>] = [:]
        /// Work to run again after a repeated request while it ran.
        var again: Set<String> = []
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Runs `body` unless work of this name is running; then that work runs once more afterwards.
    func run(_ name: String, _ body: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard !state.isCancelled else { return }
            if state.running[name] != nil {
                state.again.insert(name)
            } else {
                state.running[name] = Task { await self.loop(name, body) }
            }
        }
    }

    private func loop(_ name: String, _ body: @Sendable () async -> Void) async {
        repeat { await body() } while goesOn(name)
    }

    private func goesOn(_ name: String) -> Bool {
        state.withLock { state in
            if state.again.remove(name) != nil, !state.isCancelled { return true }
            state.running[name] = nil
            return false
        }
    }

    func finish() async {
        while let task = state.withLock({ $0.running.values.first }) { await task.value }
    }

    func cancel() {
        let tasks = state.withLock { state in
            state.isCancelled = true
            return Array(state.running.values)
        }
        for task in tasks { task.cancel() }
    }
}
