import CloudModel
import Synchronization

/// The containers with recently stored or queried chunks, so that those of abandoned uploads are collected soon. They
/// are rows of the database, so each process of a cluster collects after uploads to any of them, even after restarts.
final class UnfinishedUploads: Sendable {
    /// How old the recorded time may be, in seconds: not every chunk writes it.
    private static let granularity = UploadGrace.granularity
    private static let maximumKnown = 4_096

    private let database: any StorageDatabase
    /// When this process last noted a container, in seconds since 1970 UTC.
    private let known = Mutex<[Int64: Int64]>([:])

    init(_ database: any StorageDatabase) { self.database = database }

    /// Runs a commit that stores or renews chunks of a container. It has to call ``note(_:at:_:)`` if its argument says
    /// so.
    func noting<T>(_ container: Int64, at now: Int64, _ commit: (_ isDue: Bool) async throws -> T) async throws -> T {
        let isDue = known.withLock { known in
            !(known[container].map { (now - Self.granularity...now).contains($0) } ?? false)
        }
        let result = try await commit(isDue)
        guard isDue else { return result }
        known.withLock { known in
            if known.count >= Self.maximumKnown { known = [:] }
            known[container] = now
        }
        return result
    }

    static func note(_ container: Int64, at now: Int64, _ db: any StorageTransaction) throws {
        try db.execute(
            """
            INSERT INTO upload (container, since, asked) VALUES (?, ?, ?)
            ON CONFLICT (container) DO UPDATE SET asked = excluded.asked WHERE upload.asked < excluded.asked
            """, [container, now, now])
    }

    /// Returns the containers that may have chunks about which no upload has asked during the grace period.
    func due(at now: Int64) async throws -> Set<Int64> {
        try await database.readOnce { db in
            let rows = try db.rows("SELECT container FROM upload WHERE since < ?", [now - UploadGrace.seconds])
            return Set(try rows.map { try $0["container"] as Int64 })
        }
    }

    /// Notes that a container was collected.
    ///
    /// - Parameter mayContinue: Whether chunks stay because a document is announced: they go when it no longer is.
    func collected(_ container: Int64, of account: AccountID, at time: Int64, mayContinue: Bool) async throws {
        let isNoted = try await database.readOnce {
            try $0.exists("SELECT 1 FROM upload WHERE container = ?", [container])
        }
        guard isNoted || mayContinue else { return }
        // Half of the grace: a container with constant uploads is not collected at each look.
        let since = time - UploadGrace.seconds / 2
        try await database.commit(of: account) { db in
            if mayContinue {
                guard try db.exists("SELECT 1 FROM container WHERE id = ?", [container]) else { return }
                try db.execute(
                    """
                    INSERT INTO upload (container, since, asked) VALUES (?, ?, 0)
                    ON CONFLICT (container) DO UPDATE SET since = excluded.since
                    """, [container, since])
            } else {
                try db.execute(
                    "DELETE FROM upload WHERE container = ? AND asked < ?",
                    [container, time - UploadGrace.seconds - Self.granularity])
                try db.execute("UPDATE upload SET since = ? WHERE container = ?", [since, container])
            }
        }
    }
}
