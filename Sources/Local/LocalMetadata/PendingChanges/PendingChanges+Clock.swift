package import Basics
import GRDB

/// Corrects changes recorded before the clock was set back. They would not settle until the clock reaches that time
/// again: hours, or years.
extension PendingChanges {
    /// Returns whether any unsent change was recorded later than `time`.
    package func hasChanges(after time: Timestamp) throws -> Bool {
        try [QueueQueries.newestPending, QueueQueries.newestDeparture, QueueQueries.newestKeyValue].contains { query in
            try optionalNumber(query).map { $0 > time.nanoseconds } ?? false
        }
    }

    /// Changes the times of unsent changes later than `time` to `now`.
    package func bringForward(changesAfter time: Timestamp, to now: Timestamp) throws {
        try run(
            "UPDATE local SET pendingSince = ? WHERE pendingSince IS NOT NULL AND pendingSince > ?",
            [now.nanoseconds, time.nanoseconds])
        try run("UPDATE departed SET time = ? WHERE isSent = 0 AND time > ?", [now.nanoseconds, time.nanoseconds])
        try run(
            "UPDATE keyValuePending SET noted = ? WHERE isSent = 0 AND noted > ?", [now.nanoseconds, time.nanoseconds])
    }
}
