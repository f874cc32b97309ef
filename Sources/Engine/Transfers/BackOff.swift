/// The exponential back-off between tries: the pause doubles with each failure and has jitter, so that devices do not
/// return simultaneously.
struct BackOff: Sendable {
    /// The first pause, without jitter.
    static let shortest = Duration.milliseconds(250)
    /// Bounds the time to notice, without a notification, that a network is back: half a minute.
    static let longest = Duration.seconds(30)

    private var failures = 0
    /// No try happens before this time.
    private(set) var resumeAt: Duration?

    /// - Parameter jitter: in 0..<1; the pause is between half of its length and all of it.
    mutating func failed(now: Duration, jitter: Double) {
        // Concurrent fetches fail together: they count as a single failure.
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

    /// Ends the pause; the next pause is as long as it would have been.
    mutating func resume() { resumeAt = nil }
}
