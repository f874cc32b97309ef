import UbiquityData

/// Schedules a file's rounds: soon after a change, at most once a second, after a growing pause on failure, and never
/// while nothing changes. Pure.
struct RoundPlan {
    /// Transactions in quick succession are gathered for this long.
    static let gathering: Duration = .milliseconds(100)
    /// The shortest time between two rounds: each file of transactions is an entry of the container's log.
    static let interval: Duration = .seconds(1)
    static let firstPause: Duration = .seconds(1)
    static let longestPause: Duration = .seconds(60)

    typealias Instant = ContinuousClock.Instant

    /// When the next round begins; nil while there is nothing to do.
    private(set) var due: Instant?
    /// The earliest time for a round after a change.
    private var earliest: Instant
    private var failures = 0

    /// The first round is due immediately: the file may have changed while no process watched.
    init(at now: Instant) { (due, earliest) = (now, now) }

    /// Notes a change of the file or in the cloud.
    mutating func changed(at now: Instant) {
        let wanted = max(now + Self.gathering, earliest)
        due = min(due ?? wanted, wanted)
    }

    /// Notes that a person waits for the result.
    mutating func requested(at now: Instant) { due = now }

    func isDue(at now: Instant) -> Bool { due.map { $0 <= now } ?? false }

    /// How long to wait for changes; nil: until a change.
    func wait(at now: Instant) -> Duration? { due.map { max(.zero, $0 - now) } }

    /// Changes from now on lead to a further round.
    mutating func begin() { due = nil }

    /// - Parameters:
    ///   - retry: When a retry makes sense after a failure; nil after a success.
    ///   - jitter: 0 to 1.
    mutating func finished(_ retry: SharingFailure.Retry?, at now: Instant, jitter: Double) {
        guard let retry else {
            failures = 0
            earliest = now + Self.interval
            if let wanted = due { due = max(wanted, earliest) }
            return
        }
        let whole = Self.firstPause * (1 << min(failures, 10))
        failures = min(failures + 1, 100)
        let pause = min(whole, Self.longestPause)
        earliest = now + pause * (0.75 + 0.25 * min(max(jitter, 0), 1))
        switch retry {
        case .later: due = earliest
        // A change during the round may be the repair.
        case .afterChange: if due != nil { due = earliest }
        }
    }
}
