import LocalMetadata
import Sync
import Synchronization

/// Programs holding items under claims until the test releases them.
final class FakePermits: EnginePermits {
    private struct State {
        var held: Set<NodeID> = []
        var asked: [EngineAccess] = []
        var deferrals = 0
        var open = 0
        var waiting: [CheckedContinuation<PermitRelease?, Never>] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func hold(_ node: NodeID) { state.withLock { _ = $0.held.insert(node) } }

    /// Ends all claims. Grants the engine's requested permits, or refuses them.
    func release(refusing: Bool = false) {
        let waiting = state.withLock { state in
            defer { (state.held, state.waiting) = ([], []) }
            if !refusing { state.open += state.waiting.count }
            return state.waiting
        }
        let permit: PermitRelease = { [self] in end() }
        for continuation in waiting { continuation.resume(returning: refusing ? nil : permit) }
    }

    /// Returns once the engine waits for a permit.
    func untilWaiting() async {
        await withCheckedContinuation { continuation in
            let isWaiting = state.withLock { state in
                if state.waiting.isEmpty { state.watchers.append(continuation) }
                return !state.waiting.isEmpty
            }
            if isWaiting { continuation.resume() }
        }
    }

    var deferrals: Int { state.withLock { $0.deferrals } }
    /// The number of permits granted and not ended.
    var open: Int { state.withLock { $0.open } }
    var asked: [EngineAccess] { state.withLock { $0.asked } }

    var areFree: Bool { false }

    func ask(_ access: EngineAccess, for node: NodeID) -> EnginePermit {
        state.withLock { state in
            state.asked.append(access)
            guard state.held.contains(node) else {
                state.open += 1
                return .now { [self] in end() }
            }
            guard access == .upload else { return .refused }
            return .later { [self] in await withCheckedContinuation { wait(for: node, $0) } }
        }
    }

    private func wait(for node: NodeID, _ continuation: CheckedContinuation<PermitRelease?, Never>) {
        let watchers: [CheckedContinuation<Void, Never>]? = state.withLock { state in
            guard state.held.contains(node) else {
                state.open += 1
                return nil
            }
            state.waiting.append(continuation)
            defer { state.watchers = [] }
            return state.watchers
        }
        guard let watchers else { return continuation.resume(returning: { [self] in end() }) }
        for watcher in watchers { watcher.resume() }
    }

    func noteDeferral() { state.withLock { $0.deferrals += 1 } }

    private func end() { state.withLock { $0.open -= 1 } }
}
