/// A token bucket: `capacity` events at once, and one more for each `interval`. Pure; the caller passes the time.
package struct TokenBucket: Sendable {
    /// Where it is full: the largest burst.
    private let capacity: Double
    /// Between two tokens that are added.
    private let interval: Duration
    private var tokens: Double
    private var refilled: Duration

    /// A full bucket.
    package init(capacity: Int, interval: Duration, now: Duration) {
        self.capacity = Double(capacity)
        self.interval = interval
        tokens = Double(capacity)
        refilled = now
    }

    /// Whether a token is there, which stays.
    package mutating func hasToken(at now: Duration) -> Bool {
        refill(now)
        return tokens >= 1
    }

    /// Whether nothing was taken that has not been added again.
    package mutating func isFull(at now: Duration) -> Bool {
        refill(now)
        return tokens >= capacity
    }

    /// Takes a token.
    ///
    /// - Returns: false where there is none.
    package mutating func take(at now: Duration) -> Bool {
        guard hasToken(at: now) else { return false }
        tokens -= 1
        return true
    }

    /// Takes what is left of a token, for an event that happens in any case.
    package mutating func takeAtMost(at now: Duration) {
        refill(now)
        tokens = max(0, tokens - 1)
    }

    private mutating func refill(_ now: Duration) {
        // A clock that was set back adds nothing, and takes nothing.
        tokens = min(capacity, tokens + max(0, (now - refilled) / interval))
        refilled = now
    }
}
