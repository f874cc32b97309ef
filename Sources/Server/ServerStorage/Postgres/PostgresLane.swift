import NIOPosix
import Synchronization

/// Commits of some accounts, in consecutive groups: commits that arrive while a group is being made durable form the
/// next group. The queue is no longer than the number of requests under way, bounded by the server.
final class PostgresLane: Sendable {
    /// Enough for cheap syncs, few enough that no process waits long for the locks of a group.
    private static let batch = 64

    private let pending = Mutex(PendingJobs<any PostgresJob>())
    private let pool: PostgresPool
    private let threads: NIOThreadPool

    init(_ pool: PostgresPool, _ threads: NIOThreadPool) {
        self.pool = pool
        self.threads = threads
    }

    func commit<T: Sendable>(
        _ scope: CommitScope, _ query: StorageQuery?,
        _ body: @escaping @Sendable ([StorageRow], any StorageTransaction) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let job = PostgresCommit(
                scope: scope, deadline: .now + pool.bounds.patience, query: query, body: body,
                continuation: continuation)
            guard pending.withLock({ $0.add(job) }) else { return }
            threads.submit { [self] state in
                while let jobs = pending.withLock({ $0.take(atMost: Self.batch) }) {
                    if case .active = state { run(jobs) } else { for job in jobs { job.settle(Self.closed) } }
                }
            }
        }
    }

    private static let closed = StorageError(.busy, "The server stops; try again.")

    private func run(_ jobs: [any PostgresJob]) {
        // The first has waited for the longest.
        let deadline = jobs.map(\.deadline).min() ?? .now
        var failure: (any Error)?
        do {
            try pool.repeating(until: deadline) { connection in
                let group = PostgresGroup(jobs, connection)
                do { try group.commit(withSavepoints: false) } catch is PostgresGroup.NeedsSavepoints {
                    try group.commit(withSavepoints: true)
                }
            }
        } catch { failure = error }
        for job in jobs { job.settle(failure) }
    }
}

/// A group of commits in a single transaction.
struct PostgresGroup {
    /// A body failed after it had changed something, or a statement failed: the group is retried with savepoints.
    struct NeedsSavepoints: Error {}

    private let jobs: [any PostgresJob]
    private let connection: PostgresConnection

    init(_ jobs: [any PostgresJob], _ connection: PostgresConnection) {
        self.jobs = jobs
        self.connection = connection
    }

    /// Commits the successful bodies. On return the outcomes of the jobs are final and their changes durable; if it
    /// throws, nothing was stored, or the outcome is unknown (``PostgresError``).
    ///
    /// - Parameter withSavepoints: Whether each body can be undone separately. Without that, most groups take half as
    ///   many statements.
    func commit(withSavepoints: Bool) throws {
        let transaction = PostgresTransaction(connection)
        do {
            try connection.enqueue("BEGIN ISOLATION LEVEL READ COMMITTED")
            try PostgresLocks.lock(jobs.lazy.map(\.scope), connection)
            if withSavepoints {
                for job in jobs { try performAlone(job, transaction) }
            } else {
                let known = try readAhead(transaction)
                for (index, job) in jobs.enumerated() { try perform(job, known[index], transaction) }
            }
            try connection.commit()
        } catch {
            // The connection is dropped if that fails.
            if connection.isUsable { _ = try? connection.run("ROLLBACK") }
            if !withSavepoints, let error = error as? PostgresError, error.concernsOneBody { throw NeedsSavepoints() }
            throw error
        }
    }

    /// Runs the jobs' first queries in a single round trip, and returns their rows by the place of the job. A job
    /// sharing its scope with an earlier job reads that job's writes, so its query has to wait.
    private func readAhead(_ transaction: PostgresTransaction) throws -> [Int: [StorageRow]] {
        var scopes: Set<CommitScope> = []
        var queries: [(place: Int, query: StorageQuery)] = []
        for (place, job) in jobs.enumerated() {
            guard scopes.insert(job.scope).inserted, let query = job.query else { continue }
            queries.append((place, query))
        }
        let rows = try transaction.rowsOfEach(queries.map(\.query))
        return Dictionary(uniqueKeysWithValues: zip(queries.map(\.place), rows))
    }

    private func perform(_ job: any PostgresJob, _ rows: [StorageRow]?, _ transaction: PostgresTransaction) throws {
        let before = transaction.changes
        let isDone = job.perform(transaction, rows)
        if let failure = transaction.failure { throw failure }
        guard isDone || transaction.changes == before else { throw NeedsSavepoints() }
    }

    private func performAlone(_ job: any PostgresJob, _ transaction: PostgresTransaction) throws {
        try connection.enqueue("SAVEPOINT one")
        var isDone = job.perform(transaction, nil)
        if isDone {
            do { try transaction.flush() } catch {
                isDone = false
                job.fail(error)
            }
        }
        if let failure = transaction.failure {
            guard failure.concernsOneBody else { throw failure }
            transaction.restart()
        }
        if !isDone { try connection.enqueue("ROLLBACK TO SAVEPOINT one") }
        try connection.enqueue("RELEASE SAVEPOINT one")
    }
}
