/// Throttles non-empty rounds, so that changes arriving in between are gathered in the next round. A round after a
/// quiet time begins immediately.
package struct RoundThrottle: Sendable {
    let clock: any Clock<Duration>

    package init(clock: any Clock<Duration>) { self.clock = clock }

    /// Runs a round and, if it did something, returns no sooner than `gap` after it began. Returns whether it did.
    package func beat(gap: Duration, _ round: () async throws -> Bool) async throws -> Bool {
        var didWork = false
        let spent = try await clock.measure { didWork = try await round() }
        if didWork, spent < gap { try await clock.sleep(for: gap - spent) }
        return didWork
    }
}
