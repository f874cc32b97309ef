import Synchronization

/// A mount's ``DownloadBreaker``, with the clock.
package final class RefusedPrograms: Sendable {
    private let breaker = Mutex(DownloadBreaker())
    private let now: @Sendable () -> ContinuousClock.Instant
    private let start: ContinuousClock.Instant

    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }) {
        self.now = now
        start = now()
    }

    package func permits(_ program: String) -> Bool {
        let now = now() - start
        return breaker.withLock { $0.permits(program, at: now) }
    }

    /// - Returns: Whether the program is refused placeholders from now on.
    package func closed(_ reading: DownloadBreaker.Reading, by program: String) -> Bool {
        let now = now() - start
        return breaker.withLock { $0.closed(reading, by: program, at: now) }
    }

    package func allow(_ program: String) { breaker.withLock { $0.allow(program) } }

    package var all: [DownloadBreaker.Refusal] {
        let now = now() - start
        return breaker.withLock { $0.refusals(at: now) }
    }
}
