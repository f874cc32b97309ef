package import Basics

/// The log's own clock, derived from the times of its batches: it never runs backwards, and no single wrong clock can carry it away.
package enum LogClock {
    /// 2025-01-01, before the first log. A log whose time is not past it has seen no credible clock yet.
    package static let floor = Timestamp(seconds: 1_735_689_600)

    /// How far one batch can move the log's time. A clock that is a year ahead needs a year's worth of batches to move the log with it, and
    /// a container that was unused for a month is back at the present after thirty.
    package static let largestStep = Duration.seconds(24 * 60 * 60)

    /// Returns the log's time after a batch of that time. While it lags behind the present, later entries still get later times, so that
    /// the order of the log decides where clocks would.
    package static func advance(_ time: Timestamp, to batch: Timestamp) -> Timestamp {
        guard time > floor else { return max(floor, batch) }
        return max(time, min(batch, time.adding(largestStep)))
    }
}
