import GRDB
import Synchronization

/// Gathers writes that arrive during a durable commit into the next transaction, so that many devices share each sync
/// of the disk. The queue is no longer than the number of requests under way, bounded by the server.
final class CommitQueue: Sendable {
    /// Enough for cheap syncs, few enough for a short wait of the first.
    private static let batch = 256

    private let pending = Mutex(PendingJobs<any Job>())
    private let writer: any DatabaseWriter

    init(_ writer: any DatabaseWriter) { self.writer = writer }

    /// Writes not yet taken by a transaction.
    var pendingCount: Int { pending.withLock { $0.count } }

    func commit<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let isFirst = pending.withLock { $0.add(Commit(body: body, continuation: continuation)) }
            if isFirst { writer.asyncWriteWithoutTransaction { [self] in run($0) } }
        }
    }

    private func run(_ db: Database) {
        while let jobs = pending.withLock({ $0.take(atMost: Self.batch) }) {
            var failure: (any Error)?
            do {
                try db.inTransaction(.immediate) {
                    for job in jobs { try job.perform(db) }
                    return .commit
                }
            } catch { failure = error }
            for job in jobs { job.settle(failure) }
        }
    }
}

private protocol Job: Sendable {
    /// Runs the write. Throws only errors that end the whole transaction.
    func perform(_ db: Database) throws
    /// Resumes the caller, after the commit or after its failure.
    func settle(_ failure: (any Error)?)
}

private final class Commit<T: Sendable>: Job {
    private let body: @Sendable (Database) throws -> T
    private let continuation: CheckedContinuation<T, any Error>
    private let outcome = Mutex<Result<T, any Error>?>(nil)

    init(body: @escaping @Sendable (Database) throws -> T, continuation: CheckedContinuation<T, any Error>) {
        self.body = body
        self.continuation = continuation
    }

    /// Result codes caused by the disk, the memory or the database itself. Any other code concerns a single write, such
    /// as a value that is too long.
    private static var concernsAll: [ResultCode] {
        [
            .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_NOMEM, .SQLITE_READONLY, .SQLITE_BUSY,
            .SQLITE_LOCKED, .SQLITE_INTERRUPT, .SQLITE_CANTOPEN, .SQLITE_PROTOCOL, .SQLITE_ABORT,
        ]
    }

    /// Runs the write in a savepoint: an error of this write undoes it alone, an error of the disk fails all.
    func perform(_ db: Database) throws {
        do {
            var value: T?
            try db.inSavepoint {
                value = try body(db)
                return .commit
            }
            if let value { outcome.withLock { $0 = .success(value) } }
        } catch let error as DatabaseError where Self.concernsAll.contains(error.resultCode) {
            throw error
        } catch { outcome.withLock { $0 = .failure(error) } }
    }

    func settle(_ failure: (any Error)?) {
        let result = outcome.withLock { $0 }
        switch (failure, result) {
        case (let failure?, _): continuation.resume(throwing: failure)
        case (nil, let result?): continuation.resume(with: result)
        case (nil, nil): continuation.resume(throwing: StorageError(.failed, "A write failed; try again."))
        }
    }
}
