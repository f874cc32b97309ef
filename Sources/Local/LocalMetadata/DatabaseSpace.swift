import CLinux
import Dispatch
import GRDB
import GRDBSQLite
import Glibc
import Synchronization

import struct Foundation.Data

/// Keeps the database able to note what frees space when its disk is full, also while another process takes each block that gets free:
/// see ``SpaceReserve`` for what is kept, and ``SpaceUse`` for what may use it.
final class DatabaseSpace: Sendable {
    /// `FALLOC_FL_KEEP_SIZE` of <linux/falloc.h>.
    static let keepSize: Int32 = 1
    /// Free bytes without which an ordinary transaction is refused where the file system cannot reserve any.
    private static let margin = 4 * SpaceReserve.logReserve

    private struct State {
        var ledger = SpaceReserve()
        /// Closed only after the database: closing any descriptor of a file ends this process's locks on it (fcntl_locking(2)).
        var log: Int32 = -1
        var database: Int32 = -1
        /// False where the file system cannot allocate blocks ahead.
        var canReserve = true
    }

    private let path: String
    private let state = Mutex(State())
    private let logFrames = Atomic<Int>(0)
    /// Held from the growth of the file until its commit: a checkpoint between the two would cut the file off again.
    private let growth = DispatchSemaphore(value: 1)

    private let kept: KeptBlocks

    init(path: String) {
        self.path = path
        kept = KeptBlocks(path: path)
    }

    /// Puts the kept blocks in place. To be called before the database is opened.
    func beforeOpening() { kept.putInPlace() }

    /// To be called once the database is open.
    func opened() {
        state.withLock { state in
            state.log = open(kept.log, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            state.database = open(path, O_RDWR | O_CLOEXEC)
        }
        replenish()
    }

    /// Takes back what is missing of the reserve of the log, as far as the disk has it.
    func replenish() {
        state.withLock { state in
            state.ledger.noteLog(frames: logFrames.load(ordering: .relaxed))
            Self.extendLog(&state)
        }
        kept.keepIndex()
    }

    func noteLog(frames: Int) { logFrames.store(frames, ordering: .relaxed) }

    // MARK: Transactions

    /// Sees that the log has room for a transaction. Throws `SQLITE_FULL` where it may not begin.
    func prepare(_ use: SpaceUse, _ db: Database) throws {
        try state.withLock { state in
            state.ledger.noteLog(frames: logFrames.load(ordering: .relaxed))
            guard state.canReserve else { return try requireMargin(for: use) }
            // A little more than is asked of it, so that the disk is not asked each time.
            guard !state.ledger.hasLog(for: use) else { return }
            Self.extendLog(&state)
            guard state.canReserve, !state.ledger.hasLog(for: use) else { return }
            if restartLog(db) { state.ledger.noteLog(frames: 0) }
            guard state.ledger.hasLog(for: use) || use == .freeing else { throw Self.full }
        }
    }

    /// Sees, at the end of a transaction, that the file has blocks for all of its pages and that the transaction leaves what it has to.
    /// - Returns: Whether the file grew; ``ended(isCommitted:)`` must follow then.
    func admit(_ use: SpaceUse, _ db: Database) throws -> Bool {
        let (pages, free) = try Self.pages(db)
        let growth = state.withLock { $0.canReserve ? $0.ledger.growth(pages: pages, free: free) : 0 }
        guard growth > 0 else { return false }
        self.growth.wait()
        do {
            try grow(by: growth, use, db, pages: pages, free: free)
            return true
        } catch {
            ended(isCommitted: false)
            throw error
        }
    }

    /// The transaction whose ``admit(_:_:)`` let the file grow has ended.
    func ended(isCommitted: Bool) {
        // The next checkpoint cuts the file off behind the last committed page.
        if !isCommitted { state.withLock { $0.ledger.pagesAllocated = 0 } }
        growth.signal()
    }

    /// Runs a checkpoint while the file does not grow.
    func whileSteady<T>(_ checkpoint: () throws -> T) rethrows -> T {
        growth.wait()
        defer { growth.signal() }
        return try checkpoint()
    }

    private func grow(by growth: Int, _ use: SpaceUse, _ db: Database, pages: Int, free: Int) throws {
        let isFilling = free < SpaceReserve.pageReserve
        if allocate(pages: pages + (isFilling ? growth : 0)) {
            guard isFilling else { return }
            // Its pages become free ones of the database.
            try db.perform(
                "INSERT OR REPLACE INTO setting (key, value) VALUES ('reserve', zeroblob(?))", [growth * 4000])
            try db.perform("DELETE FROM setting WHERE key = 'reserve'")
            let after = try Self.pages(db).pages
            guard after <= pages + growth || allocate(pages: after) else { throw Self.full }
            return
        }
        guard pages <= state.withLock({ $0.ledger.pagesAllocated }) || allocate(pages: pages),
            state.withLock({ $0.ledger.admits(use, pages: pages, free: free) || !$0.canReserve })
        else { throw Self.full }
    }

    private static func pages(_ db: Database) throws -> (pages: Int, free: Int) {
        (
            try Int.fetchOne(db.cachedStatement(sql: "PRAGMA page_count")) ?? 0,
            try Int.fetchOne(db.cachedStatement(sql: "PRAGMA freelist_count")) ?? 0
        )
    }

    /// Makes the file at least as long as so many pages, in blocks of the disk.
    private func allocate(pages: Int) -> Bool {
        state.withLock { state in
            if pages <= state.ledger.pagesAllocated { return true }
            guard linux_fallocate(state.database, 0, 0, Int64(pages * SpaceReserve.pageSize)) == 0 else {
                if errno != ENOSPC && errno != EDQUOT { state.canReserve = false }
                return false
            }
            state.ledger.pagesAllocated = pages
            return true
        }
    }

    private static func extendLog(_ state: inout State) {
        let wanted = state.ledger.wantedLog
        guard state.log >= 0, state.canReserve, state.ledger.logAllocated < wanted else { return }
        // The last part of it may be all that there is.
        for size in [
            wanted, wanted - SpaceReserve.logStep, wanted - SpaceReserve.logStep - SpaceReserve.logReserve / 2,
        ]
        where size > state.ledger.logAllocated {
            if linux_fallocate(state.log, keepSize, 0, Int64(size)) == 0 {
                state.ledger.logAllocated = size
                return
            }
            guard errno == ENOSPC || errno == EDQUOT else { return state.canReserve = false }
        }
        // What it has from before counts, as it has blocks from its start on; some of them are the disk's own notes.
        var status = stat()
        guard fstat(state.log, &status) == 0 else { return }
        state.ledger.logAllocated = max(state.ledger.logAllocated, Int(status.st_blocks) * 512 - (16 << 10))
    }

    /// Carries the log over so that it is written from its start again. Readers of an old state are waited for, but not for long.
    private func restartLog(_ db: Database) -> Bool {
        sqlite3_busy_timeout(db.sqliteConnection, 250)
        defer { sqlite3_busy_timeout(db.sqliteConnection, 5000) }
        return whileSteady {
            sqlite3_wal_checkpoint_v2(db.sqliteConnection, nil, SQLITE_CHECKPOINT_RESTART, nil, nil) == SQLITE_OK
        }
    }

    private static let full = DatabaseError(resultCode: .SQLITE_FULL, message: "the rest is kept for what frees space")

    private func requireMargin(for use: SpaceUse) throws {
        var space = statvfs()
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        guard statvfs(folder, &space) == 0 else { return }
        let free = UInt64(space.f_bavail).multipliedReportingOverflow(by: UInt64(space.f_frsize))
        guard free.overflow || free.partialValue >= UInt64(use.rest(of: Self.margin)) else { throw Self.full }
    }

    /// To be called before the last connection is closed, which deletes the log.
    func beforeClosing() { if state.withLock({ $0.canReserve }) { kept.keepLog() } }

    /// To be called once the database is closed.
    func closed() {
        kept.finishLog()
        state.withLock { state in
            for descriptor in [state.log, state.database] where descriptor >= 0 { close(descriptor) }
            (state.log, state.database) = (-1, -1)
        }
    }

    deinit {
        state.withLock { state in
            for descriptor in [state.log, state.database] where descriptor >= 0 { close(descriptor) }
        }
    }
}
