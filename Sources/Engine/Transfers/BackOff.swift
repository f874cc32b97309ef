/// How long to pause between tries: twice as long after each failure, with jitter, so that devices do not come back all at once.
struct BackOff: Sendable {
    /// The first pause, without jitter.
    static let shortest = Duration.milliseconds(250)
    /// Notices within half a minute that a network is back, without a notification.
    static let longest = Duration.seconds(30)

    private var failures = 0
    /// No try before this.
    private(set) var resumeAt: Duration?

    /// - Parameter jitter: of 0..<1; the pause is between half and all of its length.
    mutating func failed(now: Duration, jitter: Double) {
        // Fetches that ran together fail together: that counts once.
        guard resumeAt == nil else { return }
        let pause = min(Self.longest, Self.shortest * (1 << min(failures, 10)))
        failures += 1
        resumeAt = now + pause * (0.5 + 0.5 * jitter)
    }

    mutating func succeeded() { self = BackOff() }

    /// Ends the pause if its time has come.
    mutating func tick(now: Duration) {
        if let resumeAt, resumeAt <= now { self.resumeAt = nil }
    }

    /// Ends the pause; the next one is as long as it would have been.
    mutating func resume() { resumeAt = nil }
}
