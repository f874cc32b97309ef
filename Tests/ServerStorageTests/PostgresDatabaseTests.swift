import CloudModel
import Foundation
import Logging
import ServerSupport
import Synchronization
import Testing

@testable import ServerStorage

@Suite("A server's database in PostgreSQL", .timeLimit(.minutes(10)))
struct PostgresDatabaseTests {
    /// A database with a table of numbers.
    private func database(
        _ address: PostgresAddress, _ bounds: PostgresBounds = PostgresBounds()
    ) async throws -> PostgresDatabase {
        let database = try PostgresDatabase(address, bounds: bounds)
        try await database.commit {
            try $0.execute("CREATE TABLE IF NOT EXISTS kept (id BIGINT PRIMARY KEY, number BIGINT)")
        }
        return database
    }

    private func expect(_ code: StorageError.Code, _ body: () async throws -> Void) async {
        do {
            try await body()
            Issue.record("no error")
        } catch { #expect((error as? StorageError)?.code == code, "\(error)") }
    }

    private func kept(_ database: PostgresDatabase) async throws -> [Int] {
        try await database.read { try $0.values(Int.self, "SELECT id FROM kept ORDER BY id") }
    }

    @Test("parameters without a number follow the highest before them, and text stays as it is")
    func dialect() {
        let sql = PostgresDialect.translated("SELECT '?', \"a?\" FROM t WHERE a = ? AND b = ?3 AND c = ? OR d = ?1")
        #expect(sql == "SELECT '?', \"a?\" FROM t WHERE a = $1 AND b = $3 AND c = $4 OR d = $1")
    }

    @Test(
        "a body that fails leaves nothing, whether it had changed something or broke a rule of SQL, and fails no other of its group"
    )
    func groups() async throws {
        let database = try await database(TestPostgres.shared().makeDatabase())
        let gate = DispatchSemaphore(value: 0)
        let scope = CommitScope.account(1)
        let ledger = CommitLedger()
        async let first: Void = database.commit(scope) { _ in
            ledger.unknown.withLock { $0 += 1 }
            gate.wait()
        }
        // Alone in its group, which is not repeated then.
        while ledger.unknown.withLock({ $0 }) == 0 { await Task.yield() }
        let bodies: [@Sendable (any StorageTransaction) throws -> Void] = [
            { try $0.execute("INSERT INTO kept VALUES (1, 0)") },
            {
                try $0.enqueue("INSERT INTO kept VALUES (2, 0)", [])
                throw StorageError(.quota, "full")
            },
            { try $0.enqueue("INSERT INTO kept VALUES (1, 0)", []) },
            { try $0.execute("SELECT nothing FROM nowhere") },
            { try $0.execute("INSERT INTO kept VALUES (3, 0)") },
        ]
        let results = await withTaskGroup(of: (Int, Bool).self) { group in
            for (index, body) in bodies.enumerated() {
                group.addTask {
                    do { try await database.commit(scope, body) } catch { return (index, false) }
                    return (index, true)
                }
            }
            gate.signal()
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        try await first
        // Two of them store the same row: their order decides which.
        #expect(results[0] != results[2] && results[1] == false && results[3] == false && results[4] == true)
        let numbers = try await kept(database)
        #expect(numbers == [1, 3])
        try database.close()
    }

    @Test("commits of two processes that read before they write lose no update, whatever their scopes")
    func serializable() async throws {
        let address = try TestPostgres.shared().makeDatabase()
        let databases = [try await database(address), try await database(address)]
        try await databases[0].commit { try $0.execute("INSERT INTO kept VALUES (1, 0), (2, 0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                let (database, id) = (databases[index % 2], Int64(index / 2 % 2 + 1))
                let scope: CommitScope = index.isMultiple(of: 5) ? .all : .account(id)
                group.addTask {
                    try await database.commit(scope) { db in
                        let number = try db.value(Int.self, "SELECT number FROM kept WHERE id = ?", [id])
                        try db.execute("UPDATE kept SET number = ? WHERE id = ?", [(number ?? 0) + 1, id])
                    }
                }
            }
            try await group.waitForAll()
        }
        let sum = try await databases[0].read {
            try $0.value(Int.self, "SELECT CAST(SUM(number) AS BIGINT) FROM kept")
        }
        #expect(sum == 200)
        for database in databases { try database.close() }
    }

    @Test("entries that two processes append at once get unique places without gaps")
    func places() async throws {
        try await withFolder { folder in
            let address = try TestPostgres.shared().makeDatabase()
            let stores = try (0..<2).map {
                try ServerStore(
                    ServerPlace(directory: "\(folder)\($0)", database: address), serving: true, log: quiet)
            }
            let account = try await stores[0].newAccount("anna")
            let count = 30
            let places = try await withThrowingTaskGroup(of: [UInt64].self) { group in
                for writer in 0..<8 {
                    group.addTask {
                        var places: [UInt64] = []
                        for number in 0..<count {
                            let payload = Array("\(writer) \(number)".utf8)
                            places.append(
                                try await stores[writer % 2].logs.append(
                                    payload, key: nil, to: .cloudDocs, of: account
                                ).value)
                        }
                        return places
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(places.sorted() == (1...UInt64(8 * count)).map { $0 })
            for (index, store) in stores.enumerated() {
                try await store.close()
                try FileManager.default.removeItem(atPath: "\(folder)\(index)")
            }
        }
    }

    @Test("when PostgreSQL is killed, no acknowledged commit is lost, and none is repeated")
    func killed() async throws {
        let server = try TestPostgres()
        defer { server.stop() }
        var bounds = PostgresBounds()
        bounds.patience = .seconds(60)
        let database = try await database(server.makeDatabase(), bounds)
        let ledger = CommitLedger()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for number in 0..<150 {
                        let id = writer * 1_000 + number
                        do {
                            try await database.commit(.account(Int64(writer))) {
                                // A second insertion would break the primary key.
                                try $0.enqueue("INSERT INTO kept VALUES (?, 0)", [id])
                            }
                            let done = ledger.acknowledged.withLock {
                                $0.append(id)
                                return $0.count
                            }
                            if [200, 500, 800].contains(done) { try server.kill() }
                        } catch let error as StorageError where error.code == .failed {
                            ledger.unknown.withLock { $0 += 1 }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let stored = Set(try await kept(database))
        let promised = ledger.acknowledged.withLock { $0 }
        let lost = promised.filter { !stored.contains($0) }
        #expect(lost == [])
        #expect(promised.count + ledger.unknown.withLock { $0 } == 1_200)
        #expect(stored.count >= promised.count)
        try database.close()
    }

    @Test("a commit whose reply is lost is reported as unknown, and not repeated")
    func lostReply() async throws {
        let server = try TestPostgres()
        defer { server.stop() }
        var bounds = PostgresBounds()
        bounds.silence = .milliseconds(300)
        let database = try await database(server.makeDatabase(), bounds)
        let ledger = CommitLedger()
        do {
            try await database.commit { db in
                ledger.unknown.withLock { $0 += 1 }
                try db.execute("INSERT INTO kept VALUES (1, 0)")
                try server.suspend()
            }
            Issue.record("a commit was acknowledged by a server that does nothing")
        } catch let error as StorageError { #expect(error.code == .failed && "\(error)".contains("unknown")) }
        let runs = ledger.unknown.withLock { $0 }
        #expect(runs == 1)
        try server.resume()
        try database.close()
    }

    @Test("a server that hangs ends reads and commits with an error that says to try again")
    func hung() async throws {
        let server = try TestPostgres()
        defer { server.stop() }
        var bounds = PostgresBounds()
        (bounds.silence, bounds.patience, bounds.connect) = (.milliseconds(300), .milliseconds(100), .seconds(2))
        let database = try await database(server.makeDatabase(), bounds)
        try server.suspend()
        await expect(.busy) { _ = try await database.read { try $0.exists("SELECT 1") } }
        await expect(.busy) { _ = try await database.commit { try $0.execute("INSERT INTO kept VALUES (1, 0)") } }
        try server.resume()
        try database.close()
    }

    @Test("a schema of a newer version is refused, unless its migrations are additive")
    func tooNew() throws {
        let address = try TestPostgres.shared().makeDatabase()
        let additive = PostgresSchema.Migration(name: "next", script: "ALTER TABLE account ADD COLUMN next BIGINT")
        let other = PostgresSchema.Migration(
            name: "other", isAdditive: false, script: "ALTER TABLE account DROP COLUMN next")
        try PostgresSchema.prepare(address, mayCreate: true, migrations: PostgresSchema.migrations + [additive])
        try PostgresSchema.prepare(address, mayCreate: false)
        try PostgresSchema.prepare(
            address, mayCreate: false, migrations: PostgresSchema.migrations + [additive, other])
        #expect { try PostgresSchema.prepare(address, mayCreate: true) } throws: {
            ($0 as? StorageError)?.code == .tooNew
        }
    }

    @Test("a process keeps working while another one adds a column to a table that it reads")
    func rolling() async throws {
        let address = try TestPostgres.shared().makeDatabase()
        let database = try await database(address)
        try await database.commit { try $0.execute("INSERT INTO kept VALUES (1, 0)") }
        for column in ["one", "two"] {
            // Each thread's connection has prepared it.
            for _ in 0..<8 { _ = try await database.read { try $0.rows("SELECT * FROM kept") } }
            try PostgresOwner(address).run("ALTER TABLE kept ADD COLUMN \(column) BIGINT")
        }
        let count = try await database.read { try $0.rows("SELECT * FROM kept").count }
        #expect(count == 1)
        try database.close()
    }

    @Test("processes that start at once migrate a database once")
    func migratedAtOnce() async throws {
        let address = try TestPostgres.shared().makeDatabase()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 { group.addTask { try PostgresSchema.prepare(address, mayCreate: true) } }
            try await group.waitForAll()
        }
        let database = try PostgresDatabase(address, mayCreate: false)
        let names = try await database.read { try $0.values(String.self, "SELECT name FROM schemaMigration") }
        #expect(names == PostgresSchema.migrations.map(\.name))
        try database.close()
    }

    @Test("a database without a server's tables is not one of a server")
    func absent() throws {
        let address = try TestPostgres.shared().makeDatabase()
        #expect { try PostgresDatabase(address, mayCreate: false) } throws: { ($0 as? StorageError)?.code == .notFound }
    }

    @Test("a lock keeps others out between processes until it is released")
    func locks() async throws {
        let address = try TestPostgres.shared().makeDatabase()
        let (one, other) = (try PostgresDatabase(address), try PostgresDatabase(address))
        let shared = try #require(try await one.acquire(.chunks, .shared))
        let second = try #require(try await other.acquire(.chunks, .shared))
        let refused = try await other.acquire(.chunks, .exclusive)
        #expect(refused.map { _ in true } == nil)
        let unrelated = try #require(try await other.acquire(.collection, .exclusive))
        for lock in [shared, second, unrelated] { lock.release() }
        let exclusive = try #require(try await other.acquire(.chunks, .exclusive))
        exclusive.release()
        for database in [one, other] { try database.close() }
    }

    @Test("a lock is acquired on a new connection where those that were idle have been lost")
    func lockAfterLoss() async throws {
        let address = try TestPostgres.shared().makeDatabase()
        let database = try PostgresDatabase(address)
        _ = try await database.read { try $0.rows("SELECT 1") }
        try PostgresOwner(address).run(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
        let lock = try #require(try await database.acquire(.collection, .exclusive))
        lock.release()
        try database.close()
    }

    @Test(
        "a database that a process has for itself is used by no other, and one that is used is given to none for itself"
    )
    func exclusiveUse() async throws {
        let address = try TestPostgres.shared().makeDatabase()
        let one = try PostgresDatabase(address)
        _ = try await one.read { try $0.rows("SELECT 1") }
        await expect(.inUse) { _ = try PostgresDatabase(address, use: .exclusive) }
        try one.close()
        let holder = try PostgresDatabase(address, use: .exclusive)
        await expect(.inUse) { _ = try PostgresDatabase(address, use: .exclusive) }
        let other = try PostgresDatabase(address)
        await expect(.inUse) { _ = try await other.read { try $0.rows("SELECT 1") } }
        try await holder.requireExclusiveUse()
        try holder.close()
        _ = try await other.read { try $0.rows("SELECT 1") }
        try other.close()
    }

    @Test("a process that has lost the connection with its lock notices that")
    func lostUse() async throws {
        let address = try TestPostgres.shared().makeDatabase()
        let holder = try PostgresDatabase(address, use: .exclusive)
        try PostgresOwner(address).run(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
        await expect(.busy) { try await holder.requireExclusiveUse() }
        try holder.close()
    }

    @Test("a database that does not sync its commits is not durable")
    func durability() async throws {
        let address = try TestPostgres.shared().makeDatabase()
        let database = try PostgresDatabase(address)
        let isSynced = try await database.isDurable()
        #expect(isSynced)
        try PostgresOwner(address).run("ALTER DATABASE \"\(address.name)\" SET synchronous_commit = off")
        let other = try PostgresDatabase(address)
        let isDurable = try await other.isDurable()
        #expect(!isDurable)
        for database in [database, other] { try database.close() }
    }
}

/// The writers' record of their commits.
private final class CommitLedger: Sendable {
    let acknowledged = Mutex<[Int]>([])
    /// Commits with unknown outcomes.
    let unknown = Mutex(0)
}
