import Basics
import CLinux
import Dispatch
import GRDB
import GRDBSQLite
import Glibc
import Synchronization

import struct Foundation.Data

/// Ensures that the database can record space-freeing transactions when its disk is full, even while a second process
/// takes every freed block: see ``SpaceReserve`` for the reserve, and ``SpaceUse`` for its permitted users.
final class DatabaseSpace: Sendable {
    /// `FALLOC_FL_KEEP_SIZE` of <linux/falloc.h>.
    static let keepSize: Int32 = 1
    /// The number of free bytes below which an ordinary transaction is refused if the file system cannot reserve space.
    private static let margin = 4 * SpaceReserve.logReserve

    private struct State {
        var reserve = SpaceReserve()
        var readAhead = LogReadAhead()
        /// Closed only after the database: closing any descriptor of a file ends this process's locks on it (fcntl_locking(2)).
        var log: Int32 = -1
        var database: Int32 = -1
        /// Whether the file system can allocate blocks ahead.
        var canReserve = true
    }

    private let path: String
    private let state = RankedMutex(.leaf, State())
    private let logFrames = Atomic<Int>(0)
    /// Held from the growth of the file until its commit: a checkpoint between the two would truncate the file.
    private let growth = DispatchSemaphore(value: 1)

    private let kept: KeptBlocks

    init(path: String) {
        self.path = path
        kept = KeptBlocks(path: path)
    }

    /// Installs the kept blocks. Must be called before the database is opened.
    func beforeOpening() { kept.putInPlace() }

    /// Opens the files. Must be called once the database is open.
    func opened() {
        state.withLock { state in
            state.log = open(kept.log, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            state.database = open(path, O_RDWR | O_CLOEXEC)
            Self.readAhead(of: 0, &state)
        }
        replenish()
    }

    /// Refills the reserve of the log, as far as the disk has space.
    func replenish() {
        state.withLock { state in
            state.reserve.noteLog(frames: logFrames.load(ordering: .relaxed))
            Self.extendLog(&state)
        }
        kept.keepIndex()
    }

    /// Notes the length of the log after a commit.
    func noteLog(frames: Int) {
        logFrames.store(frames, ordering: .relaxed)
        state.withLock { Self.readAhead(of: SpaceReserve.logSize(frames: frames), &$0) }
    }

    /// Lets the kernel read the blocks overwritten by the next commits; no commit waits for it (posix_fadvise(2)).
    private static func readAhead(of end: Int, _ state: inout State) {
        guard state.log >= 0, let part = state.readAhead.ends(at: end) else { return }
        _ = posix_fadvise(state.log, off_t(part.lowerBound), off_t(part.count), POSIX_FADV_WILLNEED)
    }

    // MARK: Transactions

    /// Ensures that the log has room for a transaction. Throws `SQLITE_FULL` if it may not begin.
    func prepare(_ use: SpaceUse, _ db: Database) throws {
        try state.withLock { state in
            state.reserve.noteLog(frames: logFrames.load(ordering: .relaxed))
            guard state.canReserve else { return try requireMargin(for: use) }
            // A little more than needed, so that the disk is not queried each time.
            guard !state.reserve.hasLog(for: use) else { return }
            Self.extendLog(&state)
            guard state.canReserve, !state.reserve.hasLog(for: use) else { return }
            if restartLog(db, for: use) { state.reserve.noteLog(frames: 0) }
            guard state.reserve.hasLog(for: use) || use == .freeing else { throw Self.full }
        }
    }

    /// Ensures, at the end of a transaction, that the file has blocks for all of its pages and the required reserve
    /// remains.
    /// - Returns: Whether the file grew; ``ended(isCommitted:)`` must follow then.
    func admit(_ use: SpaceUse, _ db: Database) throws -> Bool {
        let free = try Self.freePages(db)
        guard state.withLock({ $0.canReserve && $0.reserve.mayHaveGrown(free: free) }) else { return false }
        let pages = try Self.pages(db)
        let growth = state.withLock { state in
            state.reserve.noteFree(free)
            return state.reserve.growth(pages: pages, free: free)
        }
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

    /// Ends the transaction after ``admit(_:_:)`` let the file grow.
    func ended(isCommitted: Bool) {
        // The next checkpoint truncates the file after the last committed page.
        if !isCommitted { state.withLock { $0.reserve.pagesAllocated = 0 } }
        growth.signal()
    }

    /// Runs a checkpoint while the file does not grow.
    func whileSteady<T>(_ checkpoint: () throws -> T) rethrows -> T {
        growth.wait()
        defer { growth.signal() }
        return try checkpoint()
    }

    private func grow(by growth: Int, _ use: SpaceUse, _ db: Database, pages: Int, free: Int) throws {
        let lacksReserve = free < SpaceReserve.pageReserve
        let isFilling = lacksReserve && hasLogToFill()
        if isFilling || !lacksReserve, allocate(pages: pages + (isFilling ? growth : 0)) {
            guard isFilling else { return }
            // The deleted row's pages become free pages of the database. SQLite first takes already free pages.
            try db.perform(
                "INSERT OR REPLACE INTO setting (key, value) VALUES ('reserve', zeroblob(?))", [(free + growth) * 4000])
            try db.perform("DELETE FROM setting WHERE key = 'reserve'")
            let after = try Self.pages(db)
            guard after <= pages + growth || allocate(pages: after) else { throw Self.full }
            return
        }
        guard pages <= state.withLock({ $0.reserve.pagesAllocated }) || allocate(pages: pages),
            state.withLock({ $0.reserve.admits(use, pages: pages, free: free) || !$0.canReserve })
        else { throw Self.full }
    }

    /// Returns whether the log has room for the pages of the new reserve, all of which are written to it.
    private func hasLogToFill() -> Bool {
        state.withLock { state in
            if !state.reserve.hasLogToFill { Self.extendLog(&state) }
            return state.reserve.hasLogToFill
        }
    }

    private static func pages(_ db: Database) throws -> Int { Int(try db.optionalNumber("PRAGMA page_count") ?? 0) }

    private static func freePages(_ db: Database) throws -> Int {
        Int(try db.optionalNumber("PRAGMA freelist_count") ?? 0)
    }

    /// Extends the file to at least that many pages, with allocated blocks.
    private func allocate(pages: Int) -> Bool {
        state.withLock { state in
            if pages <= state.reserve.pagesAllocated { return true }
            guard linux_fallocate(state.database, 0, 0, Int64(pages * SpaceReserve.pageSize)) == 0 else {
                if errno != ENOSPC && errno != EDQUOT { state.canReserve = false }
                return false
            }
            state.reserve.pagesAllocated = pages
            return true
        }
    }

    private static func extendLog(_ state: inout State) {
        let wanted = state.reserve.wantedLog
        guard state.log >= 0, state.canReserve, state.reserve.logAllocated < wanted else { return }
        // The disk may only have room for the last of these sizes.
        for size in [
            wanted, wanted - SpaceReserve.logStep, wanted - SpaceReserve.logStep - SpaceReserve.logReserve / 2,
        ]
        where size > state.reserve.logAllocated {
            if linux_fallocate(state.log, keepSize, 0, Int64(size)) == 0 {
                state.reserve.logAllocated = size
                return
            }
            guard errno == ENOSPC || errno == EDQUOT else { return state.canReserve = false }
        }
        // The file's existing blocks count from its start; some are the file system's own metadata.
        var status = stat()
        guard fstat(state.log, &status) == 0 else { return }
        state.reserve.logAllocated = max(state.reserve.logAllocated, Int(status.st_blocks) * 512 - (16 << 10))
    }

    /// Checkpoints the log so that it is written from its start again. Waits briefly for readers of an old state;
    /// longer for a space-freeing transaction, because it would fail otherwise.
    private func restartLog(_ db: Database, for use: SpaceUse) -> Bool {
        sqlite3_busy_timeout(db.sqliteConnection, use == .freeing ? 5_000 : 250)
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

    /// Keeps the log's blocks. Must be called before closing the last connection, which deletes the log.
    func beforeClosing() { if state.withLock({ $0.canReserve }) { kept.keepLog() } }

    /// Finishes after the database is closed.
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
