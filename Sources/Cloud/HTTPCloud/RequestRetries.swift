import CloudStorage

/// Decides whether and after which pause a request is retried immediately. Pure; the caller passes the random
/// generator.
struct RequestRetries {
    /// The most attempts in total.
    static let tries = 3

    private(set) var failures = 0

    /// Returns the pause before the next attempt, or nil to give up, in which case the engine retries later. It covers
    /// a busy server's requested wait of up to a few seconds.
    mutating func pause(
        after error: CloudError, wait: Duration?, using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        failures += 1
        guard error.code.remedy == .time, failures < Self.tries, wait ?? .zero <= .seconds(5) else { return nil }
        let pause = Duration.milliseconds(100 * (1 << (2 * (failures - 1))))
        // Half is jitter, so that devices that lost a server together do not return together.
        return max(wait ?? .zero, pause / 2) + pause / 2 * Double.random(in: 0..<1, using: &generator)
    }
}
