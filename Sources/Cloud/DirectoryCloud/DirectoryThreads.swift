import Basics
import CloudStorage
import Dispatch
import Synchronization

/// Runs a cloud's file operations on a few threads of their own, so that a disk that hangs never blocks a thread of Swift's pool.
///
/// The directory may be on another machine and never respond, so a waiting caller can be cancelled, unlike with ``BlockingPool``, whose
/// work on this device runs to its end. Threads start on demand and end after being idle for ten seconds.
final class DirectoryThreads: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var workers = 0
        var idle = 0
    }

    private let state = Mutex(State())
    /// Counts the jobs.
    private let ready = DispatchSemaphore(value: 0)
    private let width: Int

    init(width: Int) { self.width = width }

    /// Runs `body` on one of the threads. A cancelled caller receives `CancellationError` at once; work that has begun continues and its
    /// result is dropped.
    func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        let job = Job<T>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard job.wait(with: continuation) else { return }
                submit {
                    job.perform(body)
                } onFailure: {
                    job.settle(.failure($0))
                }
            }
        } onCancel: {
            job.settle(.failure(CancellationError()))
        }
    }

    private func submit(_ job: @escaping @Sendable () -> Void, onFailure: (CloudError) -> Void) {
        let needsThread = state.withLock { state in
            state.jobs.append(job)
            guard state.idle < state.jobs.count, state.workers < width else { return false }
            state.workers += 1
            return true
        }
        ready.signal()
        guard needsThread else { return }
        do throws(Errno) {
            try OwnThread.detach("cloud-directory") { [self] in work() }
        } catch {
            // If another thread is alive, the job is merely delayed.
            let isLast = state.withLock { state in
                state.workers -= 1
                return state.workers == 0
            }
            if isLast {
                onFailure(
                    CloudError(.failed, "No thread could be started; the operation will be retried.", cause: error))
            }
        }
    }

    private func work() {
        while true {
            state.withLock { $0.idle += 1 }
            let outcome = ready.wait(timeout: .now() + .seconds(10))
            let (job, isOver) = state.withLock { state -> ((@Sendable () -> Void)?, Bool) in
                state.idle -= 1
                if outcome == .success, !state.jobs.isEmpty { return (state.jobs.removeFirst(), false) }
                guard state.jobs.isEmpty else { return (nil, false) }
                state.workers -= 1
                return (nil, true)
            }
            if isOver { return }
            job?()
        }
    }
}

/// A job and the caller that waits for it. It ends once: with its result or with the caller's cancellation.
private final class Job<T: Sendable>: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<T, any Error>)
        /// Cancelled before the caller began to wait.
        case settled(Result<T, any Error>?)
    }

    private let state = Mutex(State.new)

    /// Registers the waiting caller. Returns false if the job has ended already and the caller was resumed.
    func wait(with continuation: CheckedContinuation<T, any Error>) -> Bool {
        let early = state.withLock { state -> Result<T, any Error>? in
            if case .settled(let outcome) = state { return outcome }
            state = .waiting(continuation)
            return nil
        }
        guard let early else { return true }
        continuation.resume(with: early)
        return false
    }

    func perform(_ body: () throws -> T) {
        let isWanted = state.withLock { if case .waiting = $0 { true } else { false } }
        if isWanted { settle(Result { try body() }) }
    }

    func settle(_ outcome: Result<T, any Error>) {
        let waiting = state.withLock { state -> CheckedContinuation<T, any Error>? in
            switch state {
            case .new:
                state = .settled(outcome)
                return nil
            case .waiting(let continuation):
                state = .settled(nil)
                return continuation
            case .settled: return nil
            }
        }
        waiting?.resume(with: outcome)
    }
}
