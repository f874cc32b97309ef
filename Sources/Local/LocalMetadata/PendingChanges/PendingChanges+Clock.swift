package import Basics
import GRDB

/// Changes that were noted under a clock that was set back since. They would wait to settle until the clock is there again: hours, or years.
extension PendingChanges {
    /// Whether any untold change was noted later than `time`.
    package func hasChanges(after time: Timestamp) throws -> Bool {
        try [QueueQueries.newestPending, QueueQueries.newestDeparture, QueueQueries.newestKeyValue].contains { query in
            try optionalNumber(query).map { $0 > time.nanoseconds } ?? false
        }
    }

    /// Notes untold changes that are later than `time` as made `now`.
    package func bringForward(changesAfter time: Timestamp, to now: Timestamp) throws {
        try run(
            "UPDATE local SET pendingSince = ? WHERE pendingSince IS NOT NULL AND pendingSince > ?",
            [now.nanoseconds, time.nanoseconds])
        try run("UPDATE departed SET time = ? WHERE isSent = 0 AND time > ?", [now.nanoseconds, time.nanoseconds])
        try run(
            "UPDATE keyValuePending SET noted = ? WHERE isSent = 0 AND noted > ?", [now.nanoseconds, time.nanoseconds])
    }
}
