import Basics
import LocalMetadata
import Synchronization

/// When files were last opened: gathered in memory, written together, so that reading costs no transaction.
final class UsageTimes: Sendable {
    private let times = Mutex<[NodeID: Timestamp]>([:])

    func note(_ node: NodeID, _ time: Timestamp) {
        times.withLock { times in
            // Bounded: what does not fit is merely a little less precise to the eviction plan.
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
