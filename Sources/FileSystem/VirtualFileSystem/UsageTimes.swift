import Basics
import LocalMetadata

/// When files were last opened: collected in memory and written together, so reading costs no transaction.
final class UsageTimes: Sendable {
    private let times = RankedMutex<[NodeID: Timestamp]>(.leaf, [:])

    func note(_ node: NodeID, _ time: Timestamp) {
        times.withLock { times in
            // Bounded: dropping a time only makes the eviction plan a little less precise.
            if times.count < 4096 || times[node] != nil { times[node] = time }
        }
    }

    func take() -> [NodeID: Timestamp] {
        times.withLock { times in
            defer { times = [:] }
            return times
        }
    }
}
