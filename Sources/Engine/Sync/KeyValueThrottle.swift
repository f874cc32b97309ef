import Basics
import LocalMetadata
import Synchronization

/// How often keys of a store are appended to the log: a program that writes a key at every turn of a wheel makes few entries, and holds up no
/// other program's settings. What is held back is sent with the next batch.
final class KeyValueThrottle: Sendable {
    /// So many at once, and one more for each pause.
    static let burst = 15
    static let pause = Duration.seconds(6)

    /// Of the stores that were appended lately; any other has a full bucket.
    private let buckets = Mutex<[ContainerID: TokenBucket]>([:])

    /// Whether a store's changes may be appended now. A caller that waits for everything to be in the cloud is not held back.
    func maySend(of store: ContainerID, at now: Timestamp, isUrgent: Bool) -> Bool {
        isUrgent || buckets.withLock { $0[store]?.hasToken(at: now.sinceEpoch) ?? true }
    }

    func noteSent(of store: ContainerID, at now: Timestamp) {
        let now = now.sinceEpoch
        buckets.withLock { buckets in
            let full = TokenBucket(capacity: Self.burst, interval: Self.pause, now: now)
            buckets[store, default: full].takeAtMost(at: now)
            for known in buckets.keys where buckets[known]?.isFull(at: now) == true { buckets[known] = nil }
        }
    }
}

extension Timestamp {
    fileprivate var sinceEpoch: Duration { duration(since: .zero) }
}
