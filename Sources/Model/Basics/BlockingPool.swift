import Glibc
import Synchronization

/// A fixed number of named threads for calls that block on a disk or occupy a core, which would stall the cooperative
/// pool.
///
/// Urgent jobs overtake normal ones; a job should take some ten milliseconds at most, because a running job is not
/// interrupted.
package final class BlockingPool: Sendable {
    package typealias Job = @Sendable () -> Void

    private let queue = JobQueue()
    private let threads: Int

    /// Starts the threads. `name` shows in `top -H`, cut to 15 bytes.
    ///
    /// - Throws: The error of `pthread_create(3)`.
    package init(name: String, threads: Int = 2) throws(Errno) {
        self.threads = threads
        do throws(Errno) {
            for _ in 0..<threads {
                try OwnThread.detach(name) { [queue] in while let job = queue.next() { job() } }
            }
        } catch {
            queue.close(threads: threads)
            throw error
        }
    }

    deinit { queue.close(threads: threads) }

    package func submit(urgent: Bool = false, _ job: @escaping Job) { queue.add(job, urgent: urgent) }

    /// Runs `work` on a thread of the pool. Submitted work runs to its end, even if the caller is cancelled.
    package func run<T: Sendable, Failure: Error>(
        urgent: Bool = false, _ work: @escaping @Sendable () throws(Failure) -> T
    ) async throws(Failure) -> T {
        try await withCheckedContinuation { continuation in
            submit(urgent: urgent) { continuation.resume(returning: Result { () throws(Failure) in try work() }) }
        }.get()
    }
}

/// Jobs in two lanes. Threads end once the queue is closed and empty, so every submitted job runs.
private final class JobQueue: Sendable {
    private struct Lanes {
        var urgent = FIFO<BlockingPool.Job>()
        var normal = FIFO<BlockingPool.Job>()
    }

    private let lanes = Mutex(Lanes())
    private let signal = Semaphore()

    func add(_ job: @escaping BlockingPool.Job, urgent: Bool) {
        lanes.withLock { lanes in
            if urgent { lanes.urgent.append(job) } else { lanes.normal.append(job) }
        }
        signal.signal()
    }

    /// Waits for a job; returns nil to end the calling thread.
    func next() -> BlockingPool.Job? {
        signal.wait()
        return lanes.withLock { $0.urgent.popFirst() ?? $0.normal.popFirst() }
    }

    // One signal per job precedes these, so a thread finds no job only when all have been taken.
    func close(threads: Int) { for _ in 0..<threads { signal.signal() } }
}

/// A counting semaphore (sem_overview(7)), initially 0. Dispatch has one too, but Basics does not use that library.
private final class Semaphore: Sendable {
    // The semaphore is itself the means of safe sharing; its address never changes.
    nonisolated(unsafe) private let raw = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(raw, 0, 0) }

    deinit {
        sem_destroy(raw)
        raw.deallocate()
    }

    func signal() { sem_post(raw) }

    /// A signal handler may interrupt the call (EINTR).
    func wait() { while sem_wait(raw) != 0 {} }
}
