/// Keeps rounds apart that had something to do, so that what comes meanwhile goes together in the next one. A round that comes
/// after silence begins at once.
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
