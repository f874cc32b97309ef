/// Throttles rounds that had something to do, so that changes arriving in between are gathered in the next one. A round after a quiet time
/// begins at once.
package struct RoundThrottle: Sendable {
    let clock: any Clock<Duration>

    package init(clock: any Clock<Duration>) { self.clock = clock }

    /// Does one round and, if it did something, returns no sooner than `gap` after it began. Returns whether it did.
    package func beat(gap: Duration, _ round: () async throws -> Bool) async throws -> Bool {
        var didWork = false
        let spent = try await clock.measure { didWork = try await round() }
        if didWork, spent < gap { try await clock.sleep(for: gap - spent) }
        return didWork
    }
}
