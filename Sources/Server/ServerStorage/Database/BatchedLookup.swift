import Synchronization

/// Looks up rows by their keys. Lookups arriving while a query is under way share the next query, so each of them sees
/// the database as of its call or later.
final class BatchedLookup<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Job: Sendable {
        let key: Key
        let continuation: CheckedContinuation<Value?, any Error>
    }

    /// The most lookups per query, and so its most keys.
    static var limit: Int { 64 }

    /// Returns the number of key parameters for a query looking up `count` keys. There are few such numbers, because a
    /// statement is prepared for each.
    static func places(for count: Int) -> Int { [1, 4, 16].first { $0 >= count } ?? limit }

    private let pending = Mutex(PendingJobs<Job>())
    private let query: @Sendable ([Key]) async throws -> [Key: Value]

    /// - Parameter query: Returns the existing rows by their keys; called with ``limit`` different keys at most. Its
    ///   error becomes that of each lookup.
    init(_ query: @escaping @Sendable ([Key]) async throws -> [Key: Value]) { self.query = query }

    /// The number of lookups waiting for the next query.
    var waiting: Int { pending.withLock { $0.count } }

    /// Returns a row; nil if there is none with that key.
    func value(of key: Key) async throws -> Value? {
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
