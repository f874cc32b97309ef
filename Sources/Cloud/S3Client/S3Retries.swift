/// Decides whether and after which pause a request is retried. Pure; the caller passes the random generator.
struct S3Retries {
    /// The most attempts while the store responds by throttling.
    static let tries = 5
    /// The most attempts without a reply: each may have used its whole time limit.
    static let triesWithoutReply = 3
    private static let longest: Duration = .seconds(5)

    private(set) var failures = 0

    /// - Returns: Nil to give up, because the same request would fail again or did so too often. The caller retries later.
    mutating func pause(after error: S3Error, using generator: inout some RandomNumberGenerator) -> Duration? {
        failures += 1
        let tries = error.code == .unavailable ? Self.triesWithoutReply : Self.tries
        let wait = error.wait ?? .zero
        guard error.code.isPassing, failures < tries, wait <= Self.longest else { return nil }
        let first: Duration = error.code == .throttled ? .milliseconds(400) : .milliseconds(100)
        let pause = min(first * (1 << (failures - 1)), Self.longest)
        // Half is jitter, so that jointly throttled devices do not return together.
        return max(wait, pause / 2) + pause / 2 * Double.random(in: 0..<1, using: &generator)
    }
}
