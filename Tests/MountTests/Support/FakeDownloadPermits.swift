import Dispatch
import Synchronization
import VirtualFileSystem

/// Program lookups, each waiting for the test. The lookup thread is blocked meanwhile, as `/proc` may block it.
final class FakeDownloadPermits: DownloadPermits {
    private struct State {
        var threads: [Int32] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var decision = DownloadAllowance.full
    }

    private let state = Mutex(State())
    private let decided = DispatchSemaphore(value: 0)

    /// The looked-up threads.
    var threads: [Int32] { state.withLock { $0.threads } }

    func known(_ thread: Int32) -> DownloadPermit? { nil }

    func closed(_ reading: DownloadBreaker.Reading, by program: String) {}

    func lookUp(_ thread: Int32) -> DownloadPermit {
        let watchers = state.withLock { state in
            state.threads.append(thread)
            let count = state.threads.count
            defer { state.watchers.removeAll { $0.count <= count } }
            return state.watchers.filter { $0.count <= count }
        }
        for watcher in watchers { watcher.continuation.resume() }
        decided.wait()
        return DownloadPermit(state.withLock { $0.decision })
    }

    /// Returns once so many lookups have begun.
    func untilAsked(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isAsked = state.withLock { state in
                if state.threads.count < count { state.watchers.append((count, continuation)) }
                return state.threads.count >= count
            }
            if isAsked { continuation.resume() }
        }
    }

    /// Ends the waiting lookup.
    func decide(_ allowance: DownloadAllowance) {
        state.withLock { $0.decision = allowance }
        decided.signal()
    }
}
