import LocalMetadata
import Mount
import Synchronization
import VirtualFileSystem

/// Permits with which every open waits until the test decides.
final class FakePermits: AccessPermits, PendingPermit {
    private struct State {
        var callback: (@Sendable (PermitOutcome) -> Void)?
        var watchers: [CheckedContinuation<Void, Never>] = []
        var ended = 0
        var givenUp = 0
    }

    private let state = Mutex(State())

    var areFree: Bool { false }

    func ask(toOpen node: NodeID, isWriting: Bool, for thread: Int32) -> AccessPermit { .later(self) }

    func whenOver(_ body: @escaping @Sendable (PermitOutcome) -> Void) {
        let watchers = state.withLock { state in
            state.callback = body
            defer { state.watchers = [] }
            return state.watchers
        }
        for watcher in watchers { watcher.resume() }
    }

    func giveUp() {
        state.withLock { $0.givenUp += 1 }
        decide(.givenUp)
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

    func grant() { decide(.come(end: { [self] in state.withLock { $0.ended += 1 } })) }

    func decide(_ outcome: PermitOutcome) {
        let callback = state.withLock { state in
            defer { state.callback = nil }
            return state.callback
        }
        callback?(outcome)
    }

    var ended: Int { state.withLock { $0.ended } }
    var givenUp: Int { state.withLock { $0.givenUp } }
}
