import Basics
import GRDB
import Glibc
import Logging
import Synchronization

/// Makes commits durable: opens the write-ahead log a second time and calls `fdatasync(2)`, which covers every commit
/// before it (sqlite.org/wal.html).
///
/// A failed sync is the last one. The kernel marks data it could not write as written, so the next sync would succeed
/// without those commits; no later result for this open database can be trusted.
final class LogSync: Sendable {
    private struct State {
        var descriptor: Int32?
        var failure: MetadataError?
        var onFailure: (@Sendable (MetadataError) -> Void)?
    }

    /// The path of the database.
    private let path: String
    private let log: Logger
    private let state = RankedMutex(.leaf, State())
    /// The numbers of commits and of durable commits. The first represents the commits of an earlier process.
    private let commits = Atomic<UInt64>(1)
    private let durableCommits = Atomic<UInt64>(0)

    init(path: String, log: Logger) {
        self.path = path
        self.log = log
    }

    /// Whether every commit noted so far survives a power failure.
    var isDurable: Bool {
        failure == nil
            && durableCommits.load(ordering: .sequentiallyConsistent) >= commits.load(ordering: .sequentiallyConsistent)
    }

    func noteCommit() { commits.add(1, ordering: .sequentiallyConsistent) }

    /// Returns when every commit noted before this call survives a power failure. `willSync` is called before the sync.
    func run(willSync: () throws -> Void) throws {
        // Read before the sync: later commits belong to the next one.
        let goal = commits.load(ordering: .sequentiallyConsistent)
        if let failure { throw failure }
        guard durableCommits.load(ordering: .sequentiallyConsistent) < goal else { return }
        let descriptor = try state.withLock { state throws -> Int32 in
            if let known = state.descriptor { return known }
            let opened = Int32(try check("open") { open("\(path)-wal", O_RDONLY | O_CLOEXEC) })
            state.descriptor = opened
            return opened
        }
        try willSync()
        do throws(Errno) { try check("fdatasync") { fdatasync(descriptor) } } catch { throw fail("\(error)") }
        // This sync's error may have been reported to a different call (fsync(2) reports it once).
        if let failure { throw failure }
        durableCommits.max(goal, ordering: .sequentiallyConsistent)
    }

    /// Why commits are no longer durable; nil as long as every sync has succeeded.
    var failure: MetadataError? { state.withLock { $0.failure } }

    /// Calls `action` once when a sync fails, or immediately if one has failed.
    func onFailure(_ action: @escaping @Sendable (MetadataError) -> Void) {
        let failure = state.withLock { state in
            if state.failure == nil { state.onFailure = action }
            return state.failure
        }
        if let failure { action(failure) }
    }

    /// Records a failed sync, this object's or SQLite's own.
    ///
    /// - Returns: The error to throw for it.
    @discardableResult
    func fail(_ why: String) -> MetadataError {
        let failure = MetadataError(
            .notDurable,
            "The disk failed to store changes in \(path) (\(why)). Nothing is durable until a restart has "
                + "written them again. Check that disk.")
        let (first, action) = state.withLock { state in
            defer { state.onFailure = nil }
            guard let known = state.failure else {
                state.failure = failure
                return (failure, state.onFailure)
            }
            return (known, nil)
        }
        UnsyncedDatabase(path: path).mark(log)
        action?(first)
        return first
    }

    /// Records an error of SQLite if it is a failed sync.
    func note(_ error: DatabaseError) {
        let syncs: [ResultCode] = [.SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC]
        if syncs.contains(error.extendedResultCode) { fail(error.message ?? "\(error.extendedResultCode)") }
    }

    func close() {
        if let descriptor = state.withLock({ $0.descriptor.take() }) { Glibc.close(descriptor) }
    }
}
