package import Basics

/// The log's own clock, made of the times in its batches: it never runs backwards, and one wrong clock can not carry it
/// off.
package enum LogClock {
    /// 2025-01-01, before the first log. A log whose time is not past it has seen no credible clock yet.
    package static let floor = Timestamp(seconds: 1_735_689_600)

    /// How far one batch moves the log's time: a clock that is a year ahead needs a year's worth of batches to take the
    /// log with it, and a container that slept for a month is back at the present after thirty.
    package static let largestStep = Duration.seconds(24 * 60 * 60)

    /// The log's time after a batch of that time. While it lags behind the present, later entries still get later
    /// times, so that the order of the log decides where clocks would.
    package static func advance(_ time: Timestamp, to batch: Timestamp) -> Timestamp {
        guard time > floor else { return max(floor, batch) }
        return max(time, min(batch, time.adding(largestStep)))
    }
}
