/// Estimates the remaining time of work with a completed fraction, by the rate of the last half minute.
package struct TimeLeft {
    private static let window = Duration.seconds(30)
    /// The time before the first estimate.
    private static let least = Duration.seconds(2)

    private var samples: [(at: ContinuousClock.Instant, fraction: Double)] = []

    package init() {}

    /// - Returns: The time left; nil as long as nothing can be said.
    package mutating func note(_ fraction: Double, at now: ContinuousClock.Instant) -> Duration? {
        // One sample each second bounds the memory.
        if samples.last.map({ now - $0.at >= .seconds(1) }) ?? true { samples.append((now, fraction)) }
        while samples.count > 1, now - samples[1].at >= Self.window { samples.removeFirst() }
        guard let first = samples.first, now - first.at >= Self.least, fraction > first.fraction else { return nil }
        let seconds = (now - first.at) / .seconds(1) * (1 - fraction) / (fraction - first.fraction)
        // A rate close to nothing says nothing.
        return seconds < 86_400 * 30 ? .seconds(seconds) : nil
    }

    /// `about 3 min left`.
    package static func text(_ left: Duration) -> String {
        let seconds = Int((left / .seconds(1)).rounded(.up))
        switch seconds {
        case ..<60: return "about \(max(1, seconds)) s left"
        case ..<3_600: return "about \((seconds + 59) / 60) min left"
        default: return "about \(seconds / 3_600) h \(seconds % 3_600 / 60) min left"
        }
    }
}
