import CloudStorage

/// Decides whether one request is sent again at once, and after which pause. Pure; the caller brings the chance.
struct RequestRetries {
    /// Tries in all.
    static let tries = 3

    private(set) var failures = 0

    /// Nil: give up, the engine tries again later. A server that is busy says how long it wants to be left alone; a few seconds of
    /// that are waited out here.
    mutating func pause(
        after error: CloudError, wait: Duration?, using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        failures += 1
        guard error.code.remedy == .time, failures < Self.tries, wait ?? .zero <= .seconds(5) else { return nil }
        let pause = Duration.milliseconds(100 * (1 << (2 * (failures - 1))))
        // Half by chance: devices that lost a server together do not come back together.
        return max(wait ?? .zero, pause / 2) + pause / 2 * Double.random(in: 0..<1, using: &generator)
    }
}
