package import Basics
import Dispatch
import Synchronization

/// A few named threads for calls that wait on a disk or burn a core, so that the cooperative pool never does.
///
/// Urgent jobs overtake the others; a job should take some ten milliseconds at most, as a running one is not interrupted.
package final class BlockingPool: Sendable {
    package typealias Job = @Sendable () -> Void

    private let queue = JobQueue()
    private let threads: Int

    /// Throws what `pthread_create(3)` answers. The name shows in `top -H`, cut to 15 bytes.
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

    /// Runs `work` on a thread of the pool. Work that has been handed over runs to its end, even if the caller is cancelled.
    package func run<T: Sendable, Failure: Error>(
        urgent: Bool = false, _ work: @escaping @Sendable () throws(Failure) -> T
    ) async throws(Failure) -> T {
        try await withCheckedContinuation { continuation in
            submit(urgent: urgent) { continuation.resume(returning: Result { () throws(Failure) in try work() }) }
        }.get()
    }
}

/// Jobs in two lanes. Threads end once it is closed and empty: what was handed over is done.
private final class JobQueue: Sendable {
    private struct Lanes {
        var urgent = FIFO<BlockingPool.Job>()
        var normal = FIFO<BlockingPool.Job>()
    }

    private let lanes = Mutex(Lanes())
    private let signal = DispatchSemaphore(value: 0)

    func add(_ job: @escaping BlockingPool.Job, urgent: Bool) {
        lanes.withLock { lanes in
            if urgent { lanes.urgent.append(job) } else { lanes.normal.append(job) }
        }
        signal.signal()
    }

    /// Waits for a job; nil tells this thread to end.
    func next() -> BlockingPool.Job? {
        signal.wait()
        return lanes.withLock { $0.urgent.popFirst() ?? $0.normal.popFirst() }
    }

    // One signal per job precedes these, so a thread finds nothing only when all jobs are taken.
    func close(threads: Int) { for _ in 0..<threads { signal.signal() } }
}
