import Basics
import Foundation
import Synchronization

/// Counts attempts at codes and passwords for all processes sharing a database, so that more processes do not allow
/// more attempts.
///
/// A row has the time at which the action's bucket of tokens is full again (the generic cell rate algorithm), read and
/// moved by a single statement. Rows whose time has come are equivalent to none and are removed.
package final class AttemptStore: NounStore {
    /// The most attempts in a burst.
    package static let capacity: Int64 = 5
    /// The seconds after which a further attempt is allowed.
    package static let interval: Int64 = 12
    /// More rows mean an attack from many addresses: the table is cleared.
    private static let maximumRows = 100_000
    /// The seconds between two removals of old rows by a process.
    private static let cleaningPause: Int64 = 10
    /// The clocks of processes may differ by this many seconds. A row further ahead was written with a wrong clock and
    /// is replaced.
    private static let clockTolerance: Int64 = 300

    let database: any StorageDatabase
    let time: any TimeSource
    private let cleaned = Mutex<Int64>(0)

    init(database: any StorageDatabase, time: any TimeSource) {
        self.database = database
        self.time = time
    }

    /// Counts an attempt.
    ///
    /// - Parameter action: The bounded action, including for whom, such as `sign-in 192.0.2.1`. The database has its
    ///   digest.
    /// - Returns: Whether the attempt is allowed.
    /// - Throws: ``StorageError`` if the database does not accept writes.
    package func take(_ action: String) async throws -> Bool {
        let now = now()
        let mustClean = cleaned.withLock { cleaned in
            guard abs(now - cleaned) >= Self.cleaningPause else { return false }
            cleaned = now
            return true
        }
        if mustClean { try await clean(now) }
        let key = hash(action.utf8)
        let next = now + Self.interval
        let full = now + Self.interval * Self.capacity
        return try await database.commit(.statement) { db in
            try db.execute(
                """
                INSERT INTO attempt (key, until) VALUES (?, ?)
                ON CONFLICT (key) DO UPDATE SET until =
                    CASE WHEN attempt.until > ? AND attempt.until <= ? THEN attempt.until + \(Self.interval) ELSE ? END
                WHERE attempt.until <= ? OR attempt.until > ?
                """,
                [
                    key, next, now, full - Self.interval, next, full - Self.interval, full + Self.clockTolerance,
                ]) > 0
        }
    }

    private func clean(_ now: Int64) async throws {
        try await database.commit(.statement) { db in
            try db.execute("DELETE FROM attempt WHERE until <= ?", [now])
            guard try db.value(Int.self, "SELECT COUNT(*) FROM attempt") ?? 0 > Self.maximumRows else { return }
            try db.execute("DELETE FROM attempt")
        }
    }
}
