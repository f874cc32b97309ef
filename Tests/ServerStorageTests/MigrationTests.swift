import CloudModel
import CloudProtocol
import Foundation
import GRDB
import S3Client
import Testing

@testable import ServerStorage

@Suite("Moving a server to another place", .inFilesAndInABucket)
struct MigrationTests {
    private struct Interrupted: Error {}

    private let time = SettableTime()

    /// Runs `body` with a server with rows in all tables, and a path for a second server.
    private func withServer(
        isLarge: Bool = false, _ body: (_ path: String, _ other: String, FullServer) async throws -> Void
    ) async throws {
        try await withFolder { path in
            let other = "\(path)-other"
            defer { try? FileManager.default.removeItem(atPath: other) }
            var server: FullServer?
            try await withStore(at: path, time: time) {
                server = try await FullServer(in: $0, time: time, isLarge: isLarge)
            }
            try await body(path, other, server.orThrow())
        }
    }

    private func migrate(
        _ path: String, _ other: String, _ progress: @escaping @Sendable (MigrationReport) throws -> Void = { _ in }
    ) async throws -> MigrationReport {
        let (source, target) = (try place(path), try place(other))
        return try await ServerMigration.run(
            from: source.place, to: target.place, log: quiet, buckets: (source.bucket, target.bucket),
            progress: progress)
    }

    /// Returns the place of a server with its chunks in the running test's place, or else in the test's files.
    private func place(_ path: String) throws -> (place: ServerPlace, bucket: S3Client?) {
        guard let bucket = TestBucket.current, !path.hasSuffix("-files") else {
            return (ServerPlace(directory: path), nil)
        }
        let location = try bucket.location(for: path)
        return (ServerPlace(directory: path, chunks: location), try bucket.client(of: location))
    }

    private func cancel(_ path: String) async throws -> Bool {
        try await ServerMigration.cancel(from: ServerPlace(directory: path), log: quiet)
    }

    private func expectInUse(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(sourceLocation: sourceLocation) {
            _ = try openStore(at: path)
        } throws: {
            ($0 as? StorageError)?.code == .inUse
        }
    }

    @Test("every row, number and chunk of a server is in the other place, and the device's token is valid there")
    func wholeServer() async throws {
        try await withServer(isLarge: true) { path, other, server in
            let before = try dump(path)
            let empty = before.filter { $0.value.isEmpty }.keys.sorted()
            #expect(empty == [], "every table has a row")
            let report = try await migrate(path, other)
            #expect(try dump(other) == before)
            #expect(report.copiedChunks == server.parts.count && report.lostChunks == 0)
            #expect(report.rows["entry"] == 601 && report.rows["chunk"] == UInt64(server.parts.count))
            try await withStore(at: other, time: time) { store in
                let device = try await store.devices.device(with: server.token)
                #expect(device?.account == server.account)
                let isThere = try await store.holds(server.parts, of: server.account)
                #expect(isThere)
            }
        }
    }

    @Test(
        "what was moved is not served from its old place, unless the owner cancels: then devices find their positions or notice that they do not"
    )
    func movedSource() async throws {
        try await withServer { path, other, server in
            _ = try await migrate(path, other)
            expectInUse(path)
            let again = try await migrate(path, other)
            #expect(again.copiedRows == 0 && again.rows["entry"] == 21)
            let third = "\(path)-third"
            defer { try? FileManager.default.removeItem(atPath: third) }
            await #expect { _ = try await migrate(path, third) } throws: { ($0 as? StorageError)?.code == .invalid }
            let wasMoved = try await cancel(path)
            #expect(wasMoved)
            var clouds: [String] = []
            for place in [path, other] {
                try await withStore(at: place, time: time) { store in
                    clouds.append(try await store.accounts.cloud(of: server.account))
                }
            }
            #expect(clouds[0] == clouds[1])
        }
    }

    @Test("chunks are moved from a bucket to files and back")
    func otherHomes() async throws {
        guard TestBucket.current != nil else { return }
        try await withServer { path, other, server in
            let (files, before) = ("\(other)-files", try dump(path))
            defer { try? FileManager.default.removeItem(atPath: files) }
            _ = try await migrate(path, files)
            #expect(try dump(files) == before)
            try await TestBucket.$current.withValue(nil) {
                try await withStore(at: files, time: time) { store in
                    let isThere = try await store.holds(server.parts, of: server.account)
                    #expect(isThere)
                }
            }
            let report = try await migrate(files, other)
            #expect(report.copiedChunks == server.parts.count)
            #expect(try dump(other) == before)
            try await withStore(at: other, time: time) { store in
                let isThere = try await store.holds(server.parts, of: server.account)
                #expect(isThere)
                let check = try await store.checkStorage(CheckOptions(reads: true))
                #expect(check.isWhole && check.strays == 0)
            }
        }
    }

    @Test("a server that was moved can be moved back")
    func andBack() async throws {
        try await withServer { path, other, server in
            let before = try dump(path)
            _ = try await migrate(path, other)
            let third = "\(path)-third"
            defer { try? FileManager.default.removeItem(atPath: third) }
            _ = try await migrate(other, third)
            #expect(try dump(third) == before)
            expectInUse(other)
        }
    }

    @Test(
        "a migration that is interrupted after any step is continued by the same call, and neither place is served meanwhile"
    )
    func interruptions() async throws {
        try await withServer { path, other, server in
            // A bucket takes more time; steps of rows are the same there.
            let stride = TestBucket.current == nil ? 1 : 7
            var (steps, isInterrupted) = (0, true)
            while isInterrupted {
                let target = "\(other)-\(steps)"
                defer { try? FileManager.default.removeItem(atPath: target) }
                let before = try dump(path)
                let countdown = Countdown(steps)
                do {
                    _ = try await migrate(path, target) { _ in if countdown.isOver() { throw Interrupted() } }
                    isInterrupted = false
                } catch is Interrupted {
                    expectInUse(path)
                    // The first step marks the source alone.
                    if steps > 0 { expectInUse(target) }
                }
                _ = try await migrate(path, target)
                #expect(try dump(target) == before, "interrupted after \(steps) steps")
                try await withStore(at: target, time: time) { store in
                    let isThere = try await store.holds(server.parts, of: server.account)
                    #expect(isThere, "interrupted after \(steps) steps")
                }
                _ = try await cancel(path)
                if isInterrupted { steps += stride }
            }
            #expect(steps > 30)
        }
    }

    @Test("after each of many interruptions the migration goes on where it was")
    func progresses() async throws {
        try await withServer(isLarge: true) { path, other, server in
            let before = try dump(path)
            var (runs, rows) = (0, UInt64(0))
            var isDone = false
            while !isDone {
                let copied = Countdown(1)
                runs += 1
                do {
                    rows += try await migrate(path, other) { report in
                        if copied.isOver() { throw Interrupted() }
                    }.copiedRows
                    isDone = true
                } catch is Interrupted { #expect(runs < 100) }
            }
            #expect(runs > 15)
            #expect(try dump(other) == before)
        }
    }

    @Test("a chunk whose file is lost or damaged is moved as missing, so that devices send it again")
    func lostChunks() async throws {
        try await withServer { path, other, server in
            let (lost, damaged) = (server.parts[0], server.parts[1])
            let frames = try Frames(at: path)
            try frames.set(frames.name(of: lost.id), nil)
            try frames.set(
                frames.name(of: damaged.id), damaged.frame.dropLast() + [damaged.frame[damaged.frame.count - 1] ^ 1])
            let report = try await migrate(path, other)
            #expect(report.lostChunks == 2)
            try await withStore(at: other, time: time) { store in
                let missing = try await store.chunks.missing(
                    server.parts.map(\.id), in: .cloudDocs, of: server.account)
                #expect(Set(missing) == [lost.id, damaged.id])
            }
        }
    }

    @Test("a target that has data, or a part of another migration, is refused and stays as it is")
    func otherTargets() async throws {
        try await withServer { path, other, _ in
            try await withStore(at: other) { _ = try await $0.newAccount("else") }
            let before = try dump(other)
            await #expect { _ = try await migrate(path, other) } throws: { ($0 as? StorageError)?.code == .invalid }
            #expect(try dump(other) == before)
            // The source has no mark after a refusal.
            try await withStore(at: path) { _ in }

            let third = "\(path)-third"
            defer { try? FileManager.default.removeItem(atPath: third) }
            let countdown = Countdown(5)
            await #expect(throws: Interrupted.self) {
                _ = try await migrate(path, third) { _ in if countdown.isOver() { throw Interrupted() } }
            }
            let wasMoved = try await cancel(path)
            #expect(!wasMoved)
            try await withStore(at: path) { _ = try await $0.newAccount("later") }
            await #expect { _ = try await migrate(path, third) } throws: { ($0 as? StorageError)?.code == .invalid }
            expectInUse(third)
        }
    }

    @Test("a server that is served is not moved, and a place with no server's data neither")
    func served() async throws {
        try await withServer { path, other, _ in
            try await withStore(at: path) { _ in
                await #expect { _ = try await migrate(path, other) } throws: { ($0 as? StorageError)?.code == .inUse }
            }
            await #expect { _ = try await migrate("\(path)-none", other) } throws: {
                ($0 as? StorageError)?.code == .notFound
            }
            await #expect { _ = try await migrate(path, path) } throws: { ($0 as? StorageError)?.code == .invalid }
        }
    }

    @Test("a row that changed in the target before the comparison is found")
    func comparison() async throws {
        try await withServer(isLarge: true) { path, other, _ in
            await #expect {
                _ = try await migrate(path, other) { report in
                    guard report.copiedRows > 700 else { return }
                    // As a disk that returns wrong bytes.
                    try DatabaseQueue(path: "\(other)/server.sqlite").write { db in
                        try db.execute(sql: "UPDATE entry SET payload = x'00' WHERE sequence = 17")
                    }
                }
            } throws: {
                ($0 as? StorageError)?.code == .damaged
            }
            expectInUse(other)
        }
    }

    @Test("the list of tables has every table and column of the schema")
    func schema() async throws {
        try await withFolder { path in
            try await withStore(at: path) { _ in }
            try await DatabaseQueue(path: "\(path)/server.sqlite").read { db in
                let tables = try String.fetchAll(
                    db,
                    sql: """
                        SELECT name FROM sqlite_master
                        WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'grdb_%'
                        """)
                #expect(Set(tables) == StoredTable.ownOfDatabase.union(StoredTable.all.map(\.name)))
                for table in StoredTable.all {
                    let columns = try db.columns(in: table.name).map(\.name)
                    #expect(Set(columns) == Set(table.columns + (StoredTable.assigned[table.name] ?? [])))
                    #expect(try table.isNumbered == Self.isNumbered(table.name, db), "\(table.name)")
                    let before = StoredTable.all.prefix { $0 != table }.map(\.name)
                    let needed = try db.foreignKeys(on: table.name).map(\.destinationTable)
                    #expect(Set(needed).isSubset(of: before), "\(table.name) follows what it refers to")
                }
            }
        }
    }

    private static func isNumbered(_ table: String, _ db: Database) throws -> Bool {
        let sql = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = ?", arguments: [table])
        return sql?.contains("AUTOINCREMENT") ?? false
    }
}

extension Frames {
    /// Returns the name of a chunk's frame.
    func name(of id: ChunkID) throws -> String {
        let digits = id.description
        return try names.first { $0.contains("/\(digits.prefix(2))/\(digits.dropFirst(2))-") }.orThrow()
    }
}
