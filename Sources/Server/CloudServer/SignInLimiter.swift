import Basics

/// Limits attempts at a code or a password: per address, bursts of five and then one attempt in twelve seconds. There
/// is no limit for all addresses together, which strangers could use up; a code has 80 random bits and cannot be
/// guessed.
///
/// Pure; the caller passes the time.
struct SignInLimiter {
    private static let maximumAddresses = 10_000
    private var buckets: [String: TokenBucket] = [:]

    /// Returns whether an attempt is allowed, and counts it. `now` only grows.
    mutating func allows(_ address: String, now: Duration) -> Bool {
        // A full bucket is equivalent to none. A table full of partly used buckets means an attack from many addresses:
        // it is cleared.
        if buckets.count >= Self.maximumAddresses {
            buckets = buckets.filter { entry in
                var bucket = entry.value
                return !bucket.isFull(at: now)
            }
        }
        if buckets.count >= Self.maximumAddresses { buckets = [:] }
        return buckets[address, default: TokenBucket(capacity: 5, interval: .seconds(12), now: now)].take(at: now)
    }
}
