import CloudModel
import CloudProtocol
import Foundation
import GRDB
import S3Client
import S3Double
import ServerSupport
import TestSupport
import Testing

@testable import ServerStorage

@Suite("Moving a server to PostgreSQL and a bucket, and back", .timeLimit(.minutes(10)))
struct PostgresMigrationTests {
    private struct Interrupted: Error {}

    /// A server in a directory with rows in all tables, and paths for more servers. Those of clusters name their
    /// caches, and by that their databases.
    private struct Scene {
        let folder: String
        let server: FullServer

        var directory: String { "\(folder)/directory" }
        var cluster: String { "\(folder)/cluster" }
        var back: String { "\(folder)/back" }
    }

    private let time = SettableTime()

    private func withServer(
        isLarge: Bool = false, _ body: @escaping @Sendable (Scene) async throws -> Void
    ) async throws {
        try await TestBucket.run {
            try await withFolder { folder in
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                var server: FullServer?
                try await with("\(folder)/directory") {
                    server = try await FullServer(in: $0, time: time, isLarge: isLarge)
                }
                try await body(Scene(folder: folder, server: server.orThrow()))
            }
        }
    }

    private func place(_ path: String) throws -> (place: ServerPlace, bucket: S3Client?) {
        guard path.contains("/cluster") else { return (ServerPlace(directory: path), nil) }
        let bucket = try #require(TestBucket.current)
        var place = try StorageEngine.$current.withValue(.postgres) { try ServerPlace.test(path) }
        let location = try bucket.location(for: path)
        place.chunks = location
        return (place, try bucket.client(of: location))
    }

    private func open(_ path: String, serving: Bool = true) throws -> ServerStore {
        let (place, bucket) = try place(path)
        return try ServerStore(place, serving: serving, log: quiet, time: time, bucket: bucket)
    }

    private func with(
        _ path: String, serving: Bool = true, _ body: (ServerStore) async throws -> Void
    ) async throws {
        let store = try open(path, serving: serving)
        do { try await body(store) } catch {
            try await store.close()
            throw error
        }
        try await store.close()
    }

    private func migrate(
        _ path: String, _ other: String, _ progress: @escaping @Sendable (MigrationReport) throws -> Void = { _ in }
    ) async throws -> MigrationReport {
        let (source, target) = (try place(path), try place(other))
        return try await ServerMigration.run(
            from: source.place, to: target.place, log: quiet, buckets: (source.bucket, target.bucket),
            progress: progress)
    }

    private func cancel(_ path: String) async throws -> Bool {
        try await ServerMigration.cancel(from: place(path).place, log: quiet)
    }

    private func expect(
        _ code: StorageError.Code, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            Issue.record("no error", sourceLocation: sourceLocation)
        } catch { #expect((error as? StorageError)?.code == code, "\(error)", sourceLocation: sourceLocation) }
    }

    private func expectInUse(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) async {
        await expect(.inUse, sourceLocation: sourceLocation) { try await with(path) { _ in } }
    }

    /// Runs a statement in the database of a cluster, on a connection without the lock of its users.
    private func run(_ sql: String, in path: String) throws {
        try PostgresOwner(place(path).place.database.orThrow()).run(sql)
    }

    @Test("every row, number and chunk of a directory is in the cluster, and comes back")
    func thereAndBack() async throws {
        try await withServer(isLarge: true) { scene in
            let (before, parts) = (try dump(scene.directory), scene.server.parts)
            let report = try await migrate(scene.directory, scene.cluster)
            #expect(report.rows["entry"] == 601 && report.rows["chunk"] == UInt64(parts.count))
            #expect(report.copiedChunks == parts.count && report.verifiedChunks == parts.count)
            #expect(report.lostChunks == 0)
            try await with(scene.cluster) { store in
                let check = try await store.checkStorage(CheckOptions(reads: true))
                #expect(check.isWhole && check.strays == 0, "\(check.findings)")
                let isThere = try await store.holds(parts, of: scene.server.account)
                #expect(isThere)
            }
            await expectInUse(scene.directory)
            let returned = try await migrate(scene.cluster, scene.back)
            #expect(returned.verifiedChunks == parts.count && returned.lostChunks == 0)
            #expect(try dump(scene.back) == before)
            await expectInUse(scene.cluster)
            try await with(scene.back) { store in
                let isThere = try await store.holds(parts, of: scene.server.account)
                #expect(isThere)
            }
        }
    }

    @Test("a device continues: its token is valid, a repeated batch is known, and numbers and logs go on")
    func devices() async throws {
        try await withServer { scene in
            let (account, token) = (scene.server.account, scene.server.token)
            let before = try await self.device(in: scene.directory, "last")
            _ = try await migrate(scene.directory, scene.cluster)
            try await with(scene.cluster) { store in
                let device = try await store.devices.device(with: token)
                #expect(device?.account == account)
                var random = SeededGenerator(seed: 0)
                let key = AppendKey.random(using: &random)
                let repeated = try await store.logs.append(random.bytes(20), key: key, to: .cloudDocs, of: account)
                #expect(repeated.value <= 21)
                let next = try await store.logs.append([1], key: nil, to: .cloudDocs, of: account)
                #expect(next.value == 22)
            }
            let after = try await self.device(in: scene.cluster, "next")
            #expect(after == before + 1)
        }
    }

    /// Signs a new device in, and returns its number.
    private func device(in path: String, _ name: String) async throws -> Int64 {
        var number: Int64 = 0
        try await with(path) { store in
            let code = try await store.accounts.addCode(for: "berta")
            number = Int64(try await store.devices.signIn(code: code, device: name).device)
        }
        return number
    }

    @Test(
        "a migration to or from a cluster is continued after an interruption at any step, and neither place is served meanwhile"
    )
    func interruptions() async throws {
        try await withServer { scene in
            var (steps, isInterrupted) = (0, true)
            while isInterrupted {
                let (cluster, back) = ("\(scene.cluster)-\(steps)", "\(scene.back)-\(steps)")
                let before = try dump(scene.directory)
                let there = try await interrupt(scene.directory, cluster, after: steps)
                let returned = try await interrupt(cluster, back, after: steps)
                #expect(try dump(back) == before, "interrupted after \(steps) steps")
                try await with(back) { store in
                    let isThere = try await store.holds(scene.server.parts, of: scene.server.account)
                    #expect(isThere, "interrupted after \(steps) steps")
                }
                _ = try await cancel(scene.directory)
                isInterrupted = there || returned
                steps += 6
            }
            #expect(steps > 24)
        }
    }

    /// Interrupts a migration, and continues it.
    ///
    /// - Returns: Whether it had as many steps.
    private func interrupt(_ path: String, _ other: String, after steps: Int) async throws -> Bool {
        let countdown = Countdown(steps)
        do {
            _ = try await migrate(path, other) { _ in if countdown.isOver() { throw Interrupted() } }
            return false
        } catch is Interrupted {
            await expectInUse(path)
            // The first step marks the source alone.
            if steps > 0 { await expectInUse(other) }
            _ = try await migrate(path, other)
            return true
        }
    }

    @Test(
        "a cluster is not moved, and none is filled, while a process serves it or a command of its owner runs",
        arguments: [true, false])
    func used(serving: Bool) async throws {
        try await withServer { scene in
            try await with(scene.cluster, serving: serving) { _ in
                await expect(.inUse) { _ = try await migrate(scene.directory, scene.cluster) }
            }
            // Nothing was marked.
            try await with(scene.directory) { _ in }
            _ = try await migrate(scene.directory, scene.cluster)
            try await with(scene.cluster, serving: serving) { _ in
                await expect(.inUse) { _ = try await migrate(scene.cluster, scene.back) }
                await expect(.inUse) { _ = try await cancel(scene.cluster) }
            }
            try await with(scene.cluster) { _ in }
        }
    }

    @Test(
        "a server whose connections were lost commits nothing once its database is being moved, and goes on if that is cancelled"
    )
    func fenced() async throws {
        try await withServer { scene in
            _ = try await migrate(scene.directory, scene.cluster)
            try await with(scene.cluster) { store in
                @Sendable func append() async throws {
                    _ = try await store.logs.append([1], key: nil, to: .cloudDocs, of: scene.server.account)
                }
                try await append()
                let disconnect = """
                    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()
                    """
                try run(disconnect, in: scene.cluster)
                let holder = try PostgresDatabase(place(scene.cluster).place.database.orThrow(), use: .exclusive)
                await expect(.inUse) { try await append() }
                try holder.close()
                try await append()
                try run(disconnect, in: scene.cluster)
                let countdown = Countdown(9)
                await #expect(throws: Interrupted.self) {
                    _ = try await migrate(scene.cluster, scene.back) { _ in
                        if countdown.isOver() { throw Interrupted() }
                    }
                }
                await expect(.inUse) { try await append() }
                let wasMoved = try await cancel(scene.cluster)
                #expect(!wasMoved)
                try await append()
            }
        }
    }

    @Test("a migration that was cancelled while its process stood still changes nothing any more at the source")
    func cancelledMeanwhile() async throws {
        try await withServer { scene in
            let countdown = Countdown(9)
            await expect(.inUse) {
                _ = try await migrate(scene.directory, scene.cluster) { _ in
                    guard countdown.isOver() else { return }
                    try DatabaseQueue(path: "\(scene.directory)/server.sqlite").write {
                        try $0.execute(sql: "DELETE FROM migration")
                    }
                }
            }
            try await with(scene.directory) { _ in }
            await expectInUse(scene.cluster)
        }
    }

    @Test("of two processes that continue one migration, the one whose step is no longer next stops")
    func continuedTwice() async throws {
        try await withServer { scene in
            let countdown = Countdown(9)
            await expect(.inUse) {
                _ = try await migrate(scene.directory, scene.cluster) { _ in
                    guard countdown.isOver() else { return }
                    try run(
                        "UPDATE migration SET position = convert_to('{\"compared\":{}}', 'UTF8')", in: scene.cluster)
                }
            }
            await expectInUse(scene.directory)
            await expectInUse(scene.cluster)
        }
    }

    @Test("an object that is gone from the bucket after it was copied is copied again")
    func lostObjects() async throws {
        try await withServer { scene in
            let parts = scene.server.parts
            let bucket = try #require(TestBucket.current)
            let prefix = "\(try bucket.location(for: scene.cluster).prefix)/chunks/"
            let report = try await migrate(scene.directory, scene.cluster) { report in
                guard report.copiedChunks == parts.count, report.verifiedChunks == 0 else { return }
                let names = bucket.double.objects.keys.filter { $0.hasPrefix(prefix) }.sorted()
                guard names.count == parts.count else { return }
                for name in names.prefix(2) { bucket.double.set(name, nil) }
            }
            #expect(report.verifiedChunks == parts.count - 2 && report.copiedChunks == parts.count + 2)
            #expect(report.lostChunks == 0)
            try await with(scene.cluster) { store in
                let isThere = try await store.holds(parts, of: scene.server.account)
                #expect(isThere)
            }
        }
    }

    @Test("a bucket that cannot be used is found before anything is marked")
    func unusableBucket() async throws {
        try await withServer { scene in
            let bucket = try #require(TestBucket.current)
            let prefix = try bucket.location(for: scene.cluster).prefix
            bucket.double.set("\(prefix)/ubiquity-server", Array("another server's\n".utf8))
            await expect(.invalid) { _ = try await migrate(scene.directory, scene.cluster) }
            try await with(scene.directory) { _ in }
            try await with(scene.cluster) { _ in }
        }
    }

    @Test("the list of tables has every table and column of PostgreSQL's schema")
    func schema() async throws {
        let database = try PostgresDatabase(TestPostgres.shared().makeDatabase())
        let rows = try await database.read { db in
            try db.rows(
                """
                SELECT CAST(table_name AS TEXT), CAST(column_name AS TEXT) FROM information_schema.columns
                WHERE table_schema = current_schema()
                """
            ).map { (table: try $0[0] as String, column: try $0[1] as String) }
        }
        try database.close()
        let columns = Dictionary(grouping: rows, by: \.table).mapValues { Set($0.map(\.column)) }
        let own = StoredTable.ownOfDatabase.union(["schemamigration"])
        #expect(Set(columns.keys) == own.union(StoredTable.all.map { $0.name.lowercased() }))
        for table in StoredTable.all {
            let assigned = (StoredTable.assigned[table.name] ?? []).filter { table.name != "entry" || $0 != "id" }
            let expected = Set((table.columns + assigned).map { $0.lowercased() })
            #expect(columns[table.name.lowercased()] == expected, "\(table.name)")
        }
    }
}
