/// A token bucket: a burst of `capacity` events, and one more for each `interval`. Pure; the caller passes the time.
package struct TokenBucket: Sendable {
    /// The number of tokens in a full bucket, and so the largest burst.
    private let capacity: Double
    /// The time between two token additions.
    private let interval: Duration
    private var tokens: Double
    private var refilled: Duration

    /// Creates a full bucket.
    package init(capacity: Int, interval: Duration, now: Duration) {
        self.capacity = Double(capacity)
        self.interval = interval
        tokens = Double(capacity)
        refilled = now
    }

    /// Returns whether a token is available, without taking it.
    package mutating func hasToken(at now: Duration) -> Bool {
        refill(now)
        return tokens >= 1
    }

    /// Returns whether all tokens taken have been added again.
    package mutating func isFull(at now: Duration) -> Bool {
        refill(now)
        return tokens >= capacity
    }

    /// Takes a token.
    ///
    /// - Returns: false if none is available.
    package mutating func take(at now: Duration) -> Bool {
        guard hasToken(at: now) else { return false }
        tokens -= 1
        return true
    }

    /// Takes a token, or the remaining fraction of a token, for an event that happens in any case.
    package mutating func takeAtMost(at now: Duration) {
        refill(now)
        tokens = max(0, tokens - 1)
    }

    private mutating func refill(_ now: Duration) {
        // A clock set back neither adds nor takes tokens.
        tokens = min(capacity, tokens + max(0, (now - refilled) / interval))
        refilled = now
    }
}
