import Synchronization

/// Looks up rows by their numbers. Lookups that arrive while a query is under way share the next one, so each of them sees the database as it
/// was at its call or later.
final class BatchedLookup<Value: Sendable>: Sendable {
    private struct Job: Sendable {
        let key: Int64
        let continuation: CheckedContinuation<Value?, any Error>
    }

    /// The lookups of one query, and so the numbers that it is given.
    static var limit: Int { 64 }

    private let pending = Mutex(PendingJobs<Job>())
    private let query: @Sendable ([Int64]) async throws -> [Int64: Value]

    /// - Parameter query: Returns the rows that there are, by their numbers; called with ``limit`` different numbers at most. An error that it
    ///   throws is that of each lookup.
    init(_ query: @escaping @Sendable ([Int64]) async throws -> [Int64: Value]) { self.query = query }

    /// How many lookups wait for the next query.
    var waiting: Int { pending.withLock { $0.count } }

    /// Returns a row; nil if there is none of that number.
    func value(of key: Int64) async throws -> Value? {
        try await withCheckedThrowingContinuation { continuation in
            guard pending.withLock({ $0.add(Job(key: key, continuation: continuation)) }) else { return }
            Task { await run() }
        }
    }

    private func run() async {
        while let jobs = pending.withLock({ $0.take(atMost: Self.limit) }) {
            do {
                let found = try await query(Array(Set(jobs.map(\.key))))
                for job in jobs { job.continuation.resume(returning: found[job.key]) }
            } catch {
                for job in jobs { job.continuation.resume(throwing: error) }
            }
        }
    }
}
