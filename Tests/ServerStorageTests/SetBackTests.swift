import CloudModel
import CloudProtocol
import Cryptography
import Foundation
import Glibc
import Logging
import ServerSupport
import Synchronization
import TestSupport
import Testing

@testable import ServerStorage

@Suite("A database that went back to an earlier state", .eachEngine, .inFilesAndInABucket)
struct SetBackTests {
    /// A server with a database that can be copied and put back, while everything beside it stays.
    private struct Scene {
        let path: String
        let lines = Lines()

        func open(serving: Bool = true) throws -> ServerStore {
            var place = try ServerPlace.test(path)
            let log = Logger(label: "test") { [lines] _ in LineLog(lines: lines) }
            guard let bucket = TestBucket.current else { return try ServerStore(place, serving: serving, log: log) }
            let location = try bucket.location(for: path)
            place.chunks = location
            return try ServerStore(place, serving: serving, log: log, bucket: bucket.client(of: location))
        }

        func run<T>(_ body: (ServerStore) async throws -> T) async throws -> T {
            let store = try open()
            let result: T
            do { result = try await body(store) } catch {
                try await store.close()
                throw error
            }
            try await store.close()
            return result
        }

        /// Opens the storage, looks so many times, and returns of each look whether it found nothing.
        func looks(_ count: Int) async throws -> [Bool] {
            try await run { store in
                var found: [Bool] = []
                for _ in 0..<count { found.append(try await store.checkHealth().isEmpty) }
                return found
            }
        }

        /// Copies the database, in use by no process, and returns a closure that puts the copy back.
        func copyDatabase(as name: String = "copy") throws -> () throws -> Void {
            guard let address = try ServerPlace.test(path).database else {
                let copy = "\(path)-\(name).sqlite"
                let suffixes = ["", "-wal"].filter { access("\(path)/server.sqlite\($0)", F_OK) == 0 }
                for suffix in suffixes {
                    try FileManager.default.copyItem(
                        atPath: "\(path)/server.sqlite\(suffix)", toPath: "\(copy)\(suffix)")
                }
                return {
                    for suffix in ["", "-wal", "-shm"] { unlink("\(path)/server.sqlite\(suffix)") }
                    for suffix in suffixes {
                        try FileManager.default.moveItem(
                            atPath: "\(copy)\(suffix)", toPath: "\(path)/server.sqlite\(suffix)")
                    }
                }
            }
            let postgres = try TestPostgres.shared()
            let copy = try #require(try ServerPlace.test("\(path)/\(name)").database)
            let (names, owner) = ((copy.name, address.name), PostgresOwner(try postgres.address()))
            try owner.run("DROP DATABASE \(names.0)")
            try owner.run("CREATE DATABASE \(names.0) TEMPLATE \(names.1)")
            return {
                try owner.run("DROP DATABASE \(names.1)")
                try owner.run("CREATE DATABASE \(names.1) TEMPLATE \(names.0)")
            }
        }
    }

    /// A log's lines.
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])

        func add(_ line: String) { lines.withLock { $0.append(line) } }

        /// Returns those since the last call.
        func take() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
    }

    /// A log that keeps its loudest lines.
    private struct LineLog: LogHandler {
        let lines: Lines
        var logLevel = Logger.Level.critical
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.add("\(event.message)") }
    }

    private func withScene(_ body: (Scene) async throws -> Void) async throws {
        try await withFolder { try await body(Scene(path: $0)) }
    }

    @Test("the server says so at its start and at each later one, until the owner has prepared the database")
    func atStart() async throws {
        try await withScene { scene in
            try await scene.run { store in
                _ = try await store.newAccount("anna")
                for _ in 0..<3 { #expect(try await store.checkHealth().isEmpty) }
            }
            let putBack = try scene.copyDatabase()
            #expect(try await scene.looks(2) == Array(repeating: true, count: 2))
            #expect(scene.lines.take().isEmpty)
            try putBack()
            for _ in 0..<2 {
                try await scene.run { store in
                    for _ in 0..<3 {
                        let found = try #require(try await store.checkHealth().database)
                        #expect((found.from, found.to) == (5, 3))
                    }
                }
                let lines = scene.lines.take()
                #expect(lines.count == 1 && lines[0].contains("The database went back"), "\(lines)")
            }
            try await scene.run { try await $0.markRestored(trustsDevices: false) }
            _ = scene.lines.take()
            #expect(try await scene.looks(3) == Array(repeating: true, count: 3))
            #expect(scene.lines.take().isEmpty)
        }
    }

    @Test("the newer database is recognised when it is put back")
    func newerAgain() async throws {
        try await withScene { scene in
            try await scene.run { _ = try await $0.checkHealth() }
            let putBack = try scene.copyDatabase()
            try await scene.run { for _ in 0..<4 { _ = try await $0.checkHealth() } }
            let putNewerBack = try scene.copyDatabase(as: "newer")
            try putBack()
            #expect(try await scene.looks(20) == Array(repeating: false, count: 20))
            try putNewerBack()
            #expect(try await scene.looks(3) == Array(repeating: true, count: 3))
        }
    }

    @Test("a database that is prepared before the start is not reported, and a second return is")
    func prepared() async throws {
        try await withScene { scene in
            try await scene.run { _ = try await $0.checkHealth() }
            let putBack = try scene.copyDatabase()
            try await scene.run { for _ in 0..<9 { _ = try await $0.checkHealth() } }
            try putBack()
            try await scene.run { try await $0.markRestored(trustsDevices: true) }
            _ = scene.lines.take()
            let putBackAgain = try scene.copyDatabase(as: "again")
            #expect(try await scene.looks(2) == Array(repeating: true, count: 2))
            try putBackAgain()
            try await scene.run { store in
                let found = try await store.checkHealth()
                #expect(!found.isEmpty)
            }
        }
    }

    @Test("a running server notices that a standby without the last commits took over")
    func standby() async throws {
        try await withScene { scene in
            try await scene.run { store in
                for _ in 0..<5 { _ = try await store.checkHealth() }
                try await store.database.commit { try $0.execute("UPDATE health SET generation = 3") }
                let found = try #require(try await store.checkHealth().database)
                #expect((found.from, found.to) == (5, 3))
            }
            #expect(scene.lines.take().count == 1)
        }
    }

    @Test("two processes of a cluster notice nothing of each other")
    func processes() async throws {
        guard TestBucket.current != nil, StorageEngine.current == .postgres else { return }
        try await withScene { scene in
            let one = try scene.open()
            // Each process has a separate cache.
            var place = try ServerPlace.test(scene.path)
            let cache = "\(scene.path)-cache"
            defer { try? FileManager.default.removeItem(atPath: cache) }
            let bucket = try #require(TestBucket.current)
            (place.directory, place.chunks) = (cache, try bucket.location(for: scene.path))
            let client = try bucket.client(of: bucket.location(for: scene.path))
            let other = try ServerStore(place, serving: true, log: quiet, bucket: client)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for store in [one, other] {
                    group.addTask {
                        for _ in 0..<20 {
                            let found = try await store.checkHealth()
                            #expect(found.isEmpty)
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await one.close()
            try await other.close()
        }
    }

    @Test("a device that is ahead of a log is recorded once, and until it names a position that the log has")
    func ahead() async throws {
        try await withScene { scene in
            let account = try await scene.run { try await $0.newAccount("anna") }
            try await scene.run { store in
                let sign = {
                    let answer = try await store.devices.signIn(code: store.accounts.addCode(for: "anna"), device: "x")
                    let token = try #require(DeviceToken(answer.token))
                    return try #require(try await store.devices.device(with: token))
                }
                let (one, other) = (try await sign(), try await sign())
                _ = try await store.logs.append([1], key: nil, to: .cloudDocs, of: account)
                let here = LogPosition.start.following([1])
                let gone = here.following([2])
                for device in [one, other, one] { await store.ahead.note(gone, of: device, in: .cloudDocs) }
                // A position without a digest proves nothing.
                await store.ahead.note(LogPosition(LogSequence(9), nil), of: one, in: .cloudDocs)
                let lines = scene.lines.take()
                #expect(lines.count == 1 && lines[0].contains("lacks entries that a device has read"), "\(lines)")
                let listed = try await store.logs.containers(ofAccount: "anna")
                #expect(listed.map(\.devicesAhead) == [2])
                #expect(try await store.setBack().logs == 1)
                #expect(try await store.logs.setBackContainers(of: account) == [.cloudDocs])
                #expect(try await store.devices.list().count(where: \.isAhead) == 2)
                await store.ahead.settle(here, of: one, in: .cloudDocs)
                #expect(try await store.devices.list().filter(\.isAhead).map(\.id) == [other.device])
                #expect(try await store.devices.revoke(device: other.device))
                #expect(try await store.setBack().isEmpty)
            }
        }
    }

    @Test("another process settles what this one recorded, and a removed container takes its record along")
    func restart() async throws {
        try await withScene { scene in
            let token = try await scene.run { store in
                let account = try await store.newAccount("anna")
                let answer = try await store.devices.signIn(code: store.accounts.addCode(for: "anna"), device: "x")
                let token = try #require(DeviceToken(answer.token))
                let device = try #require(try await store.devices.device(with: token))
                _ = try await store.logs.append([1], key: nil, to: .cloudDocs, of: account)
                await store.ahead.note(.start.following([2]), of: device, in: .cloudDocs)
                return token
            }
            try await scene.run { store in
                #expect(try await store.checkHealth().logs == 1)
                let device = try #require(try await store.devices.device(with: token))
                await store.ahead.settle(.start.following([1]), of: device, in: .cloudDocs)
                #expect(try await store.checkHealth().isEmpty)
                await store.ahead.note(.start.following([2]), of: device, in: .cloudDocs)
                #expect(try await store.checkHealth().logs == 1)
                try await store.removeContainer(.cloudDocs, ofAccount: "anna")
                #expect(try await store.checkHealth().isEmpty)
            }
        }
    }

    @Test("anything else than a generation beside the database counts as none")
    func text() {
        for number: Int64 in [0, 1, 12, .max] {
            #expect(GenerationText.generation(in: GenerationText.bytes(of: number)) == number)
        }
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            var bytes = GenerationText.bytes(of: Int64.random(in: 1...(.max), using: &random))
            bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            if let number = GenerationText.generation(in: bytes) { #expect(number >= 0) }
        }
        for text in [
            "", "\n", "ubiquity-server generation \n", "ubiquity-server generation -1\n",
        ] {
            #expect(GenerationText.generation(in: Array(text.utf8)) == nil)
        }
    }
}
