import Synchronization

/// A ``SignInLimiter`` with the clock, for requests that run at once.
final class AttemptLimiter: Sendable {
    private let limiter = Mutex(SignInLimiter())
    private let start = ContinuousClock.now

    func allows(_ key: String) -> Bool { limiter.withLock { $0.allows(key, now: ContinuousClock.now - start) } }
}
