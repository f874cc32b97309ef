import Basics
import LocalMetadata
import Synchronization

/// Throttles how often keys of a store are appended to the log: a program that writes a key on every scroll event
/// creates few entries, and does not delay the settings of other programs. Delayed changes are sent with the next
/// batch.
final class KeyValueThrottle: Sendable {
    /// The number of batches in a burst; each ``pause`` allows another.
    static let burst = 15
    static let pause = Duration.seconds(6)

    /// The buckets of recently appended stores; all other stores have full buckets.
    private let buckets = Mutex<[ContainerID: TokenBucket]>([:])

    /// Returns whether a store's changes may be appended now. A caller waiting for a complete upload is not delayed.
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
