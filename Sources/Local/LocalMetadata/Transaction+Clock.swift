package import Basics
import GRDB

/// Clocks are set back now and then. What was noted before would wait to settle until the clock is there again: hours, or years.
extension MetadataTransaction {
    /// Whether any untold change was noted later than `time`.
    package func hasChanges(after time: Timestamp) throws -> Bool {
        let counts = try ClockQueries.all.map { query in
            try Int64.fetchOne(db.cachedStatement(sql: query.newest), arguments: []) ?? .min
        }
        return counts.contains { $0 > time.nanoseconds }
    }

    /// Notes untold changes that are later than `time` as made `now`.
    package func bringForward(changesAfter time: Timestamp, to now: Timestamp) throws {
        for query in ClockQueries.all { try run(query.correction, [now.nanoseconds, time.nanoseconds]) }
    }
}

private enum ClockQueries {
    static let all = [
        (
            newest: "SELECT max(pendingSince) FROM local WHERE pendingSince IS NOT NULL",
            correction: "UPDATE local SET pendingSince = ? WHERE pendingSince IS NOT NULL AND pendingSince > ?"
        ),
        (
            newest: "SELECT max(time) FROM departed WHERE isSent = 0",
            correction: "UPDATE departed SET time = ? WHERE isSent = 0 AND time > ?"
        ),
    ]
}
