package import Basics

/// The log's own clock, derived from the times of its batches: it never runs backwards, and no single wrong clock can
/// carry it away.
package enum LogClock {
    /// 2025-01-01, before the first log. A log whose time is not past it has seen no credible clock yet.
    package static let floor = Timestamp(seconds: 1_735_689_600)

    /// The log time's greatest advance per batch. A clock a year ahead needs a year's worth of batches to move the log
    /// with it, and a container unused for a month catches up after thirty.
    package static let largestStep = Duration.seconds(24 * 60 * 60)

    /// Returns the log's time after a batch of that time. While it lags behind the actual time, later entries still get
    /// later times, so that the log's order decides instead of clocks.
    package static func advance(_ time: Timestamp, to batch: Timestamp) -> Timestamp {
        guard time > floor else { return max(floor, batch) }
        return max(time, min(batch, time.adding(largestStep)))
    }
}
