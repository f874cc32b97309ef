import Synchronization

/// Containers from which a person removed versions; they are collected immediately.
package final class CollectionRequests: Sendable {
    private let pending = Mutex<Set<Int64>>([])
    private let bell: AsyncStream<Void>.Continuation
    /// Rings when there are requests. It has one reader.
    package let rings: AsyncStream<Void>

    init() { (rings, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func add(_ container: Int64) {
        pending.withLock { _ = $0.insert(container) }
        bell.yield()
    }

    func take() -> Set<Int64> {
        pending.withLock { pending in
            defer { pending = [] }
            return pending
        }
    }

    func add(_ containers: Set<Int64>) {
        pending.withLock { $0.formUnion(containers) }
        bell.yield()
    }

    func close() { bell.finish() }
}
