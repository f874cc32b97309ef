import CloudProtocol
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import ServerStorage

@Suite("Transactions shared by several writes", .timeLimit(.minutes(10)))
struct CommitQueueTests {
    /// Commits `bodies` in one batch, by holding the preceding batch until all have arrived.
    private func commit(
        _ queue: CommitQueue, _ bodies: [@Sendable (Database) throws -> Void]
    ) async throws -> [Result<Void, any Error>] {
        let gate = DispatchSemaphore(value: 0)
        let isHeld = Atomic(false)
        async let first: Void = queue.commit { _ in
            isHeld.store(true, ordering: .sequentiallyConsistent)
            gate.wait()
        }
        while !isHeld.load(ordering: .sequentiallyConsistent) { await Task.yield() }
        let results = await withTaskGroup(of: (Int, Result<Void, any Error>).self) { group in
            for (index, body) in bodies.enumerated() {
                group.addTask {
                    do { return (index, .success(try await queue.commit(body))) } catch {
                        return (index, .failure(error))
                    }
                }
            }
            while queue.pendingCount < bodies.count { await Task.yield() }
            gate.signal()
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        try await first
        return bodies.indices.compactMap { results[$0] }
    }

    private func database() throws -> (DatabaseQueue, CommitQueue) {
        let database = try DatabaseQueue()
        try database.write { db in try db.execute(sql: "CREATE TABLE kept (number INTEGER PRIMARY KEY)") }
        return (database, CommitQueue(database))
    }

    @Test("a value that is too long for SQLite fails its own write, and no other write of its transaction")
    func tooLong() async throws {
        let (database, queue) = try database()
        let results = try await commit(
            queue,
            [
                { db in try db.execute(sql: "INSERT INTO kept VALUES (1)") },
                { db in
                    try db.execute(sql: "INSERT INTO kept VALUES (2)")
                    // SQLITE_MAX_LENGTH is 1,000,000,000 bytes.
                    _ = try Data.fetchOne(db, sql: "SELECT zeroblob(2000000000)")
                },
                { db in try db.execute(sql: "INSERT INTO kept VALUES (3)") },
            ])
        #expect(throws: Never.self) { try results[0].get() }
        #expect(throws: Never.self) { try results[2].get() }
        do {
            try results[1].get()
            Issue.record("a value beyond SQLite's limit was accepted")
        } catch let error as DatabaseError { #expect(error.resultCode == .SQLITE_TOOBIG) }
        let kept = try await database.read { db in try Int.fetchAll(db, sql: "SELECT number FROM kept") }
        #expect(kept == [1, 3])
    }

    @Test("a full disk fails all writes of a transaction, and none of them is stored")
    func full() async throws {
        let (database, queue) = try database()
        let results = try await commit(
            queue,
            [
                { db in try db.execute(sql: "INSERT INTO kept VALUES (1)") },
                { _ in throw DatabaseError(resultCode: .SQLITE_FULL) },
            ])
        for result in results { #expect(throws: DatabaseError.self) { try result.get() } }
        let kept = try await database.read { db in try Int.fetchAll(db, sql: "SELECT number FROM kept") }
        #expect(kept == [])
    }
}
