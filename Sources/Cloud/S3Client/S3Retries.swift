/// Decides whether one request is sent again, and after which pause. Pure; the caller brings the chance.
struct S3Retries {
    /// Requests in all, where the store responds and asks for patience.
    static let tries = 5
    /// Requests in all, where no reply comes: each may have taken its whole time.
    static let triesWithoutReply = 3
    private static let longest: Duration = .seconds(5)

    private(set) var failures = 0

    /// - Returns: Nil to give up: the same request fails again, or did so too often. The caller tries again later.
    mutating func pause(after error: S3Error, using generator: inout some RandomNumberGenerator) -> Duration? {
        failures += 1
        let tries = error.code == .unavailable ? Self.triesWithoutReply : Self.tries
        let wait = error.wait ?? .zero
        guard error.code.isPassing, failures < tries, wait <= Self.longest else { return nil }
        let first: Duration = error.code == .throttled ? .milliseconds(400) : .milliseconds(100)
        let pause = min(first * (1 << (failures - 1)), Self.longest)
        // Half by chance: devices that were throttled together do not come back together.
        return max(wait, pause / 2) + pause / 2 * Double.random(in: 0..<1, using: &generator)
    }
}
