import Basics
import LocalMetadata
import Synchronization

/// The engine's deferred work on items held by programs: each job waits for its own permit, and delays nothing else.
package final class PermitWaiters: Sendable {
    typealias Job = @Sendable () async -> Void

    /// The maximum number of waiting items; further items request their permit again later.
    private static let limit = 1_000

    let backoff = Mutex(EvictionBackoff())
    private let nodes = RankedMutex<Set<NodeID>>(.leaf, [])
    private let jobs: AsyncStream<Job>
    private let sink: AsyncStream<Job>.Continuation

    init() { (jobs, sink) = AsyncStream.makeStream() }

    func contains(_ node: NodeID) -> Bool { nodes.withLock { $0.contains(node) } }

    /// Runs `work` with the permit once it is granted, or with nil if it is not. Returns false if a job for that item
    /// already waits.
    @discardableResult
    func add(
        _ node: NodeID, _ permit: @escaping @Sendable () async -> PermitRelease?,
        _ work: @escaping @Sendable (PermitRelease?) async -> Void
    )
        -> Bool
    {
        let isNew = nodes.withLock { $0.count < Self.limit && $0.insert(node).inserted }
        guard isNew else { return false }
        sink.yield { [self] in
            await work(await permit())
            _ = nodes.withLock { $0.remove(node) }
        }
        return true
    }

    /// Runs until its task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await job in jobs { group.addTask { await job() } }
            group.cancelAll()
        }
    }
}
