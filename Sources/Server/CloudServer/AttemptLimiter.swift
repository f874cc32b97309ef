import Synchronization

/// A ``SignInLimiter`` together with the clock, safe for concurrent requests.
final class AttemptLimiter: Sendable {
    private let limiter = Mutex(SignInLimiter())
    private let start = ContinuousClock.now

    func allows(_ key: String) -> Bool { limiter.withLock { $0.allows(key, now: ContinuousClock.now - start) } }
}
