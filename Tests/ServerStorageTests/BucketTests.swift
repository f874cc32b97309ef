import CloudModel
import CloudProtocol
import Foundation
import S3Client
import S3Double
import Testing

@testable import ServerStorage

/// A server with one account, and chunks in a bucket.
struct BucketScene: Sendable {
    let bucket: TestBucket
    let path: String
    let store: ServerStore
    let time: SettableTime
    let account: AccountID
    let frames: Frames

    func put(_ parts: [ChunkBatch.Part], with chunks: ChunkStore? = nil) async throws {
        try await (chunks ?? store.chunks).put(parts, in: .cloudDocs, of: account)
    }

    func isMissing(_ part: ChunkBatch.Part) async throws -> Bool {
        try await !store.chunks.missing([part.id], in: .cloudDocs, of: account).isEmpty
    }

    func place(of part: ChunkBatch.Part) async throws -> ChunkPlace {
        try #require(try await store.chunks.place(of: part.id, in: .cloudDocs, of: account))
    }

    func expectHeld(_ parts: [ChunkBatch.Part], sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let isThere = try await store.holds(parts, of: account)
        #expect(isThere, sourceLocation: sourceLocation)
    }

    func prefix() throws -> String { try bucket.location(for: path).prefix }
}

func withBucket(_ body: @Sendable (BucketScene) async throws -> Void) async throws {
    try await TestBucket.run {
        let time = SettableTime()
        try await withFolder { path in
            try await withStore(at: path, time: time) { store in
                let account = try await store.newAccount("anna")
                try await body(
                    BucketScene(
                        bucket: try #require(TestBucket.current), path: path, store: store, time: time,
                        account: account, frames: try Frames(at: path)))
            }
        }
    }
}

func expectStorage(
    _ code: StorageError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async -> String {
    do {
        try await body()
        Issue.record("it succeeded instead of failing with \(code)", sourceLocation: sourceLocation)
    } catch let error as StorageError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        return error.message
    } catch { Issue.record(error, sourceLocation: sourceLocation) }
    return ""
}

@Suite("Chunks in a bucket: puts beside removals", .eachEngine, .timeLimit(.minutes(5)))
struct BucketRaceTests {
    private let chunk = part(1, [1, 2, 3])
    private static let longAgo = Duration.seconds(100 * 86_400)

    @Test("a put that stands still while its object is swept writes another object, and its row has that one")
    func overtaken() async throws {
        try await withBucket { scene in
            let frames = scene.frames
            var chunks = scene.store.chunks
            chunks.objects = PausedObjects(
                chunks.objects,
                afterWrite: {
                    #expect(frames.names.count == 1)
                    for removed in [0, 1] {
                        let report = try await scene.store.collectNow()
                        #expect(report.strayFiles == removed)
                    }
                    #expect(frames.names == [])
                })
            try await scene.put([chunk], with: chunks)
            try await scene.expectHeld([chunk])
            let place = try await scene.place(of: chunk)
            #expect(frames.names == [place.name])
        }
    }

    @Test("a put that one collection overtakes need not be repeated")
    func overtakenOnce() async throws {
        try await withBucket { scene in
            var chunks = scene.store.chunks
            chunks.objects = PausedObjects(
                chunks.objects, afterWrite: { _ = try await scene.store.collectNow() })
            try await scene.put([chunk], with: chunks)
            let puts = scene.bucket.double.seen.filter { $0.method == "PUT" && $0.key.contains("/chunks/") }
            #expect(puts.count == 1)
            for _ in 0..<3 { _ = try await scene.store.collectNow() }
            try await scene.expectHeld([chunk])
        }
    }

    @Test("a row is added for an object of this epoch and the one before, and for no older one")
    func epochs() async throws {
        try await withBucket { scene in
            for _ in 0..<3 { _ = try await scene.store.collectNow() }
            let objects = scene.store.chunks.objects
            let epoch = try await scene.store.database.read { try objects.epoch($0) }
            #expect(epoch == 3)
            for (age, stays) in [(Int64(0), false), (1, false), (2, true), (3, true), (4, true)] {
                let suffix = ObjectSuffix(epoch: age, random: 7)
                let place = ChunkPlace(container: 1, id: chunk.id, size: 3, suffix: suffix)
                #expect(objects.stays(place, in: epoch) == stays, "epoch \(age)")
            }
        }
    }

    @Test("a chunk that is put again between the removal of its row and that of its object keeps the new object")
    func removal() async throws {
        try await withBucket { scene in
            try await scene.put([chunk])
            let first = try await scene.place(of: chunk)
            scene.time.advance(by: Self.longAgo)
            var chunks = scene.store.chunks
            chunks.objects = PausedObjects(chunks.objects, beforeRemoval: { try await scene.put([chunk]) })
            let store = scene.store
            let collector = ChunkCollector(
                logs: store.logs, chunks: chunks, links: store.links, trees: store.trees, directory: store.directory,
                log: quiet)
            let report = try await collector.run(.standard, pause: .zero)
            #expect(report.chunks == 1)
            let second = try await scene.place(of: chunk)
            #expect(first != second && scene.frames.names == [second.name])
            try await scene.expectHeld([chunk])
        }
    }

    @Test("a request that a put repeats long after it succeeded changes nothing that counts")
    func lateRequest() async throws {
        try await withBucket { scene in
            try await scene.put([chunk])
            let old = try await scene.place(of: chunk)
            scene.time.advance(by: Self.longAgo)
            _ = try await scene.store.collectNow()
            try await scene.put([chunk])
            try scene.frames.set(old.name, [1, 2, 3])
            try await scene.expectHeld([chunk])
            // The late object has no row, so it is swept.
            for _ in 0..<2 { _ = try await scene.store.collectNow() }
            let place = try await scene.place(of: chunk)
            #expect(scene.frames.names == [place.name])
            try await scene.expectHeld([chunk])
        }
    }

    @Test("two processes put, query and collect at once: no row loses its object, and sweeps leave no others")
    func processes() async throws {
        try await withBucket { scene in
            let other = try openStore(at: scene.path, serving: false, time: scene.time)
            let parts = (UInt64(0)..<30).map { part($0, [UInt8](repeating: UInt8($0), count: 10)) }
            for _ in 0..<4 {
                scene.time.advance(by: .seconds(30 * 86_400))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for store in [scene.store, other] {
                        group.addTask { for _ in 0..<2 { _ = try await store.collectNow() } }
                        for part in parts {
                            group.addTask { try await store.chunks.put([part], in: .cloudDocs, of: scene.account) }
                        }
                    }
                    try await group.waitForAll()
                }
                try await scene.expectHeld(parts)
            }
            for _ in 0..<2 { _ = try await other.collectNow() }
            try await scene.expectHeld(parts)
            #expect(scene.frames.names.count == parts.count)
            try await other.close()
        }
    }

    @Test("a sweep reads a bucket page by page, and leaves objects alone whose names are not a server's")
    func pages() async throws {
        try await withBucket { scene in
            let parts = (UInt64(0)..<20).map { part($0, [1]) }
            try await scene.put(parts)
            scene.bucket.double.limitPages(to: 7)
            let strays = (UInt64(0)..<40).map { number in
                let suffix = ObjectSuffix(epoch: 0, random: number)
                return ChunkPlace(container: 99, id: part(number, []).id, size: 1, suffix: suffix).name
            }
            let foreign = ["1/01/notes", "1/01/\(part(1, []).id.description.dropFirst(2))-1.7", "readme"]
            for name in strays + foreign { try scene.frames.set(name, [1]) }
            // Container 99 was removed long ago.
            _ = try await scene.store.collectNow()
            let report = try await scene.store.collectNow()
            #expect(report.strayFiles == 40)
            #expect(Set(scene.frames.names).isSuperset(of: foreign) && scene.frames.names.count == 23)
            try await scene.expectHeld(parts)
        }
    }
}
