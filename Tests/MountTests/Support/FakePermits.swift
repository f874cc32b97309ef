import LocalMetadata
import Mount
import Synchronization
import VirtualFileSystem

/// Permits that let every open wait for the test's decision.
final class FakePermits: AccessPermits, PendingPermit {
    private struct State {
        var callback: (@Sendable (PermitOutcome) -> Void)?
        var watchers: [CheckedContinuation<Void, Never>] = []
        var ended = 0
        var cancelled = 0
    }

    private let state = Mutex(State())

    var areFree: Bool { false }

    func requestOpen(of node: NodeID, isWriting: Bool, for thread: Int32) -> AccessPermit { .later(self) }

    func whenDecided(_ body: @escaping @Sendable (PermitOutcome) -> Void) {
        let watchers = state.withLock { state in
            state.callback = body
            defer { state.watchers = [] }
            return state.watchers
        }
        for watcher in watchers { watcher.resume() }
    }

    func cancel() {
        state.withLock { $0.cancelled += 1 }
        decide(.cancelled)
    }

    /// Returns once an open waits for its permit.
    func untilAsked() async {
        await withCheckedContinuation { continuation in
            let isAsked = state.withLock { state in
                if state.callback == nil { state.watchers.append(continuation) }
                return state.callback != nil
            }
            if isAsked { continuation.resume() }
        }
    }

    func grant() { decide(.granted(end: { [self] in state.withLock { $0.ended += 1 } })) }

    func decide(_ outcome: PermitOutcome) {
        let callback = state.withLock { state in
            defer { state.callback = nil }
            return state.callback
        }
        callback?(outcome)
    }

    var ended: Int { state.withLock { $0.ended } }
    var cancelled: Int { state.withLock { $0.cancelled } }
}
