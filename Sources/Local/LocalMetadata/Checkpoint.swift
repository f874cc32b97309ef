import Dispatch
import GRDB
import GRDBSQLite
import Logging
import Synchronization

/// Checkpoints the write-ahead log on a background queue whenever it has grown by some pages. A writer waits for a checkpoint only if
/// the log could not be reset for long because readers or writers were always active (sqlite.org/wal.html).
final class Checkpoint: Sendable {
    /// The number of pages of 4 KiB between checkpoints; SQLite's own default.
    private static let step: CInt = 1000
    /// The number of pages at which the writer itself runs the checkpoint, so that the log stays bounded: 64 MiB.
    private static let limit: CInt = 16_384

    private struct State {
        var isRunning = false
        /// The length of the log at which the next checkpoint is due.
        var due = Checkpoint.step
    }

    private let open: @Sendable () throws -> DatabaseQueue
    /// A separate connection, opened on first use.
    private let connection = Mutex<DatabaseQueue?>(nil)
    private let queue = DispatchQueue(label: "ubiquity.checkpoint")
    private let state = Mutex(State())
    private let sync: LogSync
    private let space: DatabaseSpace
    private let log: Logger

    init(sync: LogSync, space: DatabaseSpace, log: Logger, open: @escaping @Sendable () throws -> DatabaseQueue) {
        self.open = open
        self.sync = sync
        self.space = space
        self.log = log
    }

    /// Makes SQLite report the length of the log after each commit instead of checkpointing by itself.
    func follow(_ writer: DatabaseQueue) {
        _ = writer.inDatabase { db in
            // This object lives as long as the connection: both belong to ``DatabaseConnections``.
            sqlite3_wal_hook(
                db.sqliteConnection,
                { context, connection, name, pages in
                    guard let context else { return SQLITE_OK }
                    let checkpoint = Unmanaged<Checkpoint>.fromOpaque(context).takeUnretainedValue()
                    checkpoint.space.noteLog(frames: Int(pages))
                    if pages >= Checkpoint.limit { checkpoint.runAtOnce(connection, name) }
                    checkpoint.noteLength(pages)
                    return SQLITE_OK
                }, Unmanaged.passUnretained(self).toOpaque())
        }
    }

    /// Runs a checkpoint on the writer. The pages that it could not copy are left to the next commit.
    private func runAtOnce(_ connection: OpaquePointer?, _ name: UnsafePointer<CChar>?) {
        guard sync.failure == nil else { return }
        let code = sqlite3_wal_checkpoint_v2(connection, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        if code != SQLITE_OK { sync.note(DatabaseError(resultCode: ResultCode(rawValue: code))) }
    }

    private func noteLength(_ pages: CInt) {
        let isDue = state.withLock { state in
            // The log was reset.
            if pages + Self.step < state.due { state.due = Self.step }
            guard pages >= state.due, !state.isRunning else { return false }
            state.isRunning = true
            state.due = pages + Self.step
            return true
        }
        if isDue { queue.async { [self] in run() } }
    }

    private func run() {
        defer { state.withLock { $0.isRunning = false } }
        // The log may lack pages although the kernel shows them.
        guard sync.failure == nil else { return }
        do { _ = try space.whileSteady { try opened().inDatabase { try $0.checkpoint(.passive) } } } catch {
            if let error = error as? DatabaseError { sync.note(error) }
            // It is tried again when the log has grown by another step.
            log.warning("the checkpoint of the database's log failed", metadata: ["error": "\(error)"])
        }
    }

    /// Called on the queue only.
    private func opened() throws -> DatabaseQueue {
        if let known = connection.withLock({ $0 }) { return known }
        let fresh = try open()
        connection.withLock { $0 = fresh }
        return fresh
    }

    func close() throws { try queue.sync { try connection.withLock { $0.take() }?.close() } }
}
