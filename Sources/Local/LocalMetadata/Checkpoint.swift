import Dispatch
import GRDB
import GRDBSQLite
import Logging
import Synchronization

/// Checkpoints the write-ahead log on a background queue whenever it has grown by some pages. A writer waits for a checkpoint only if
/// the log could not be reset for long because readers or writers were always active (sqlite.org/wal.html). ``CheckpointSchedule`` decides
/// when.
final class Checkpoint: Sendable {
    private let open: @Sendable () throws -> DatabaseQueue
    /// A separate connection, opened on first use.
    private let connection = Mutex<DatabaseQueue?>(nil)
    private let queue = DispatchQueue(label: "ubiquity.checkpoint")
    private let schedule = Mutex(CheckpointSchedule())
    private let sync: LogSync
    private let space: DatabaseSpace
    private let log: Logger

    init(sync: LogSync, space: DatabaseSpace, log: Logger, open: @escaping @Sendable () throws -> DatabaseQueue) {
        self.open = open
        self.sync = sync
        self.space = space
        self.log = log
    }

    /// Lets SQLite report the log's length after each commit instead of checkpointing automatically.
    func follow(_ writer: DatabaseQueue) {
        _ = writer.inDatabase { db in
            // This object lives as long as the connection: both belong to ``DatabaseConnections``.
            sqlite3_wal_hook(
                db.sqliteConnection,
                { context, connection, name, pages in
                    guard let context else { return SQLITE_OK }
                    let checkpoint = Unmanaged<Checkpoint>.fromOpaque(context).takeUnretainedValue()
                    checkpoint.noteCommit(length: Int(pages), connection, name)
                    return SQLITE_OK
                }, Unmanaged.passUnretained(self).toOpaque())
        }
    }

    private func noteCommit(length: Int, _ connection: OpaquePointer?, _ name: UnsafePointer<CChar>?) {
        space.noteLog(frames: length)
        switch schedule.withLock({ $0.committed(length: length) }) {
        case .none: break
        case .inBackground: queue.async { [self] in run() }
        case .byWriter: runAtOnce(length: length, connection, name)
        }
    }

    /// Runs a checkpoint on the writer. Pages it could not copy are left to a later one.
    private func runAtOnce(length: Int, _ connection: OpaquePointer?, _ name: UnsafePointer<CChar>?) {
        guard sync.failure == nil else { return }
        let code = sqlite3_wal_checkpoint_v2(connection, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        if code == SQLITE_OK {
            schedule.withLock { $0.writerRan(length: length) }
        } else {
            sync.note(DatabaseError(resultCode: ResultCode(rawValue: code)))
        }
    }

    private func run() {
        defer { schedule.withLock { $0.backgroundEnded() } }
        // The log may lack pages although the kernel shows them.
        guard sync.failure == nil else { return }
        do { _ = try space.whileSteady { try opened().inDatabase { try $0.checkpoint(.passive) } } } catch {
            if let error = error as? DatabaseError { sync.note(error) }
            // It is retried when the log has grown by another step.
            let isBusy = (error as? DatabaseError)?.resultCode == .SQLITE_BUSY
            log.log(
                level: isBusy ? .debug : .warning, "the checkpoint of the database's log failed",
                metadata: ["error": "\(error)"])
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
