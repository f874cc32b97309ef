import Synchronization

/// A commit waiting for its group.
protocol PostgresJob: Sendable {
    var scope: CommitScope { get }
    /// When it is no longer retried.
    var deadline: ContinuousClock.Instant { get }
    /// The body's first read.
    var query: StorageQuery? { get }
    /// Runs the body; again if the group is retried. Returns false if it threw.
    ///
    /// - Parameter rows: The rows of ``query``; nil if it has not been run.
    func perform(_ transaction: PostgresTransaction, _ rows: [StorageRow]?) -> Bool
    func fail(_ error: any Error)
    /// Resumes the caller, after the commit or after its failure.
    func settle(_ failure: (any Error)?)
}

final class PostgresCommit<T: Sendable>: PostgresJob {
    let scope: CommitScope
    let deadline: ContinuousClock.Instant
    let query: StorageQuery?
    private let body: @Sendable ([StorageRow], any StorageTransaction) throws -> T
    private let continuation: CheckedContinuation<T, any Error>
    private let outcome = Mutex<Result<T, any Error>?>(nil)

    init(
        scope: CommitScope, deadline: ContinuousClock.Instant, query: StorageQuery?,
        body: @escaping @Sendable ([StorageRow], any StorageTransaction) throws -> T,
        continuation: CheckedContinuation<T, any Error>
    ) {
        self.scope = scope
        self.deadline = deadline
        self.query = query
        self.body = body
        self.continuation = continuation
    }

    func perform(_ transaction: PostgresTransaction, _ rows: [StorageRow]?) -> Bool {
        let result = Result {
            try body(rows ?? query.map { try transaction.rows($0.sql, $0.arguments) } ?? [], transaction)
        }
        outcome.withLock { $0 = result }
        if case .failure = result { return false }
        return true
    }

    func fail(_ error: any Error) { outcome.withLock { $0 = .failure(error) } }

    func settle(_ failure: (any Error)?) {
        let result = outcome.withLock { $0 }
        switch (failure, result) {
        case (let failure?, _): continuation.resume(throwing: failure)
        case (nil, let result?): continuation.resume(with: result)
        case (nil, nil): continuation.resume(throwing: StorageError(.failed, "A write failed; try again."))
        }
    }
}
