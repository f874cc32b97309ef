import Basics
import CloudStorage
import Dispatch
import Synchronization

/// Runs a cloud's file operations on a few dedicated threads, so that a hanging disk never blocks a thread of Swift's
/// pool.
///
/// The directory may be remote and never respond, so a waiting caller can be cancelled, unlike with ``BlockingPool``,
/// whose local work runs to its end. Threads start on demand and end after being idle for ten seconds.
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

    /// Runs `body` on a thread. A cancelled caller receives `CancellationError` immediately; work already started
    /// continues and its result is dropped.
    func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await run(body) { $0 }
    }

    /// Runs `body` on a thread, and passes its result to `use` on the same thread. Until `use` begins, a cancelled
    /// caller receives `CancellationError` immediately, and its outcome from then on.
    func run<Value, T: Sendable>(
        _ body: @escaping @Sendable () throws -> Value, then use: @escaping @Sendable (Value) throws -> T
    ) async throws -> T {
        let job = Job<T>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard job.wait(with: continuation) else { return }
                submit {
                    job.perform(body, then: use)
                } onFailure: {
                    job.cancel($0)
                }
            }
        } onCancel: {
            job.cancel(CancellationError())
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
            // If any thread is alive, the job is merely delayed.
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

/// A job and its waiting caller. It ends once: with its result or with the caller's cancellation.
private final class Job<T: Sendable>: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<T, any Error>)
        /// Its result is being used, so it is too late for a cancellation.
        case using(CheckedContinuation<T, any Error>)
        /// Ended; with an error if that was before the caller began to wait.
        case ended((any Error)?)
    }

    private let state = Mutex(State.new)

    /// Registers the waiting caller. Returns false if the job has been cancelled already and the caller was resumed.
    func wait(with continuation: CheckedContinuation<T, any Error>) -> Bool {
        let early = state.withLock { state -> (any Error)? in
            if case .ended(let error) = state { return error }
            state = .waiting(continuation)
            return nil
        }
        guard let early else { return true }
        continuation.resume(throwing: early)
        return false
    }

    func perform<Value>(_ body: () throws -> Value, then use: (Value) throws -> T) {
        guard state.withLock({ if case .waiting = $0 { true } else { false } }) else { return }
        let value = Result { try body() }
        guard beginUse() else { return }
        end(Result { try use(value.get()) })
    }

    /// Ends the job with `error`, unless its result is being used or it has ended.
    func cancel(_ error: any Error) {
        let waiting = state.withLock { state -> CheckedContinuation<T, any Error>? in
            switch state {
            case .new:
                state = .ended(error)
                return nil
            case .waiting(let continuation):
                state = .ended(nil)
                return continuation
            case .using, .ended: return nil
            }
        }
        waiting?.resume(throwing: error)
    }

    /// Returns false if the caller no longer waits.
    private func beginUse() -> Bool {
        state.withLock { state in
            guard case .waiting(let continuation) = state else { return false }
            state = .using(continuation)
            return true
        }
    }

    private func end(_ outcome: Result<T, any Error>) {
        let using = state.withLock { state -> CheckedContinuation<T, any Error>? in
            guard case .using(let continuation) = state else { return nil }
            state = .ended(nil)
            return continuation
        }
        using?.resume(with: outcome)
    }
}
