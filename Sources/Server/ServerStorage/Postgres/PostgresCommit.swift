import Synchronization

/// A commit that waits for its group.
protocol PostgresJob: Sendable {
    var scope: CommitScope { get }
    /// When it is no longer repeated.
    var deadline: ContinuousClock.Instant { get }
    /// Runs the body; again if the group is repeated. Returns false if it threw.
    func perform(_ transaction: PostgresTransaction) -> Bool
    func fail(_ error: any Error)
    /// Resumes the caller, after the commit or after its failure.
    func settle(_ failure: (any Error)?)
}

final class PostgresCommit<T: Sendable>: PostgresJob {
    let scope: CommitScope
    let deadline: ContinuousClock.Instant
    private let body: @Sendable (any StorageTransaction) throws -> T
    private let continuation: CheckedContinuation<T, any Error>
    private let outcome = Mutex<Result<T, any Error>?>(nil)

    init(
        scope: CommitScope, deadline: ContinuousClock.Instant,
        body: @escaping @Sendable (any StorageTransaction) throws -> T, continuation: CheckedContinuation<T, any Error>
    ) {
        self.scope = scope
        self.deadline = deadline
        self.body = body
        self.continuation = continuation
    }

    func perform(_ transaction: PostgresTransaction) -> Bool {
        let result = Result { try body(transaction) }
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
