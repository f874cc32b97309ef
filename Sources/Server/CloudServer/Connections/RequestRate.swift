import Basics

/// Bounds the request rate of clients that have not signed in, by address. A request beyond that waits; none is
/// refused. Pure; the caller passes the time.
struct RequestRate {
    /// An address's requests handled at once, and the interval for each further request.
    static let burst = 200
    static let interval = Duration.milliseconds(20)
    private static let maximumAddresses = 10_000
    private var buckets: [String: TokenBucket] = [:]

    /// Returns whether a request may be handled now, and counts it. `now` only grows.
    mutating func allows(_ address: String, now: Duration) -> Bool {
        // A full bucket is equivalent to none. A table full of partly used buckets means requests from many addresses:
        // it is cleared.
        if buckets.count >= Self.maximumAddresses {
            buckets = buckets.filter { entry in
                var bucket = entry.value
                return !bucket.isFull(at: now)
            }
        }
        if buckets.count >= Self.maximumAddresses { buckets = [:] }
        return buckets[address, default: TokenBucket(capacity: Self.burst, interval: Self.interval, now: now)]
            .take(at: now)
    }
}
