import ServerStorage
import Synchronization

/// A ``SignInLimiter`` with a clock, safe for concurrent requests.
///
/// The processes of a cluster count together, in the database. Each consults it only about attempts allowed locally, so
/// a client trying too often causes no writes.
final class AttemptLimiter: Sendable {
    private let limiter = Mutex(SignInLimiter())
    private let purpose: String
    private let shared: AttemptStore?
    private let uptime: @Sendable () -> Duration

    /// - Parameter purpose: The kind of attempt; limiters with the same purpose count together in a cluster.
    init(_ purpose: String, _ store: ServerStore) {
        self.purpose = purpose
        shared = store.sharedAttempts
        uptime = store.uptime
    }

    /// Returns whether an attempt is allowed, and counts it.
    ///
    /// - Throws: ``StorageError`` if a cluster's database does not accept writes.
    func allows(_ key: String) async throws -> Bool {
        guard limiter.withLock({ $0.allows(key, now: uptime()) }) else { return false }
        return try await shared?.take("\(purpose) \(key)") ?? true
    }
}
