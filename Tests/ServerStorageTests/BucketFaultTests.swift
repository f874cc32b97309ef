import Basics
import CloudModel
import CloudProtocol
import Foundation
import S3Client
import S3Double
import Testing

@testable import ServerStorage

@Suite("Chunks in a bucket: faults", .eachEngine, .timeLimit(.minutes(10)))
struct BucketFaultTests {
    private let chunk = part(1, [1, 2, 3])

    @Test("a put survives throttling, lost requests and replies that are lost after the effect")
    func passing() async throws {
        let faults: [S3Fault] = [
            .refusal(status: 503, code: "SlowDown"), .refusal(status: 500, code: "InternalError"), .lostRequest,
            .lostReply,
        ]
        for fault in faults {
            try await withBucket { scene in
                try await scene.put([part(9, [9])])
                scene.bucket.double.script(fault, for: "PUT", times: 2)
                try await scene.put([chunk])
                try await scene.expectHeld([chunk])
                #expect(scene.frames.names.count == 2)
            }
        }
    }

    @Test("a put that the bucket refuses stores no row and costs nothing")
    func refused() async throws {
        let cases: [(fault: S3Fault, code: StorageError.Code)] = [
            (.refusal(status: 503, code: "SlowDown"), .busy), (.refusal(status: 403, code: "AccessDenied"), .failed),
            (.refusal(status: 507, code: "QuotaExceeded"), .full), (.lostRequest, .failed),
            (.page(status: 502, text: "<html>"), .failed),
        ]
        for (fault, code) in cases {
            try await withBucket { scene in
                try await scene.put([part(9, [9])])
                let used = try await scene.store.accounts.list().first?.used
                scene.bucket.double.script(fault, for: "PUT", times: 20)
                let message = await expectStorage(code) { try await scene.put([chunk, part(2, [2])]) }
                #expect(!message.contains("s3://") && !message.contains(scene.bucket.location.bucket))
                let isMissing = try await scene.isMissing(chunk)
                #expect(isMissing)
                let after = try await scene.store.accounts.list().first?.used
                #expect(after == used)
            }
        }
    }

    @Test("an unreachable bucket fails puts, reads and the check of health, and loses nothing")
    func unreachable() async throws {
        try await withBucket { scene in
            try await scene.put([chunk])
            let place = try await scene.place(of: chunk)
            // A port without a listener.
            let location = try S3Location(
                bucket: scene.bucket.location.bucket, prefix: scene.prefix(), endpoint: "http://127.0.0.1:1",
                region: scene.bucket.location.region)
            var chunks = scene.store.chunks
            chunks.objects = ChunkBucket(try scene.bucket.client(of: location), scene.store.database)
            _ = await expectStorage(.failed) { try await scene.put([part(2, [2])], with: chunks) }
            _ = await expectStorage(.failed) { _ = try await chunks.read(place, 0..<3) }
            _ = await expectStorage(.failed) { _ = try await chunks.objects.keep(generation: 1) }
            let isMissing = try await scene.isMissing(part(2, []))
            #expect(isMissing)
            // Nothing is distrusted because the bucket could not be asked.
            let isFirstMissing = try await scene.isMissing(chunk)
            #expect(!isFirstMissing)
            try await scene.expectHeld([chunk])
        }
    }

    @Test("a missing or wrong object of a manifest is found by the next entry, and devices are asked to send it again")
    func wrongBytes() async throws {
        for isGone in [true, false] {
            try await withBucket { scene in
                var documents = Documents(scene.store, scene.account, seed: 5)
                let content = documents.content(chunks: 3)
                try await documents.put(content.parts)
                let manifest = try #require(content.parts.first { $0.id == content.reference.digest })
                let place = try await scene.place(of: manifest)
                try scene.frames.set(place.name, isGone ? nil : [UInt8](repeating: 7, count: place.size))
                _ = await expectStorage(.damaged) { _ = try await documents.create(content.reference) }
                let isMissing = try await scene.isMissing(manifest)
                #expect(isMissing)
                try await documents.put([manifest])
                _ = try await documents.create(content.reference)
                try await scene.expectHeld(content.parts)
                let again = try await scene.place(of: manifest)
                #expect(again != place)
            }
        }
    }

    @Test("an object of another length is damaged, and one that is gone is missing, in whole and in part")
    func lengths() async throws {
        try await withBucket { scene in
            try await scene.put([part(1, Array(0..<100))])
            let place = try await scene.place(of: part(1, []))
            for bytes in [[UInt8](0..<50), Array(0..<101), []] {
                try scene.frames.set(place.name, bytes)
                _ = await expectStorage(.damaged) { _ = try await scene.store.chunks.read(place, 0..<100) }
            }
            try scene.frames.set(place.name, Array(0..<50))
            _ = await expectStorage(.damaged) { _ = try await scene.store.chunks.read(place, 40..<60) }
            _ = await expectStorage(.damaged) { _ = try await scene.store.chunks.read(place, 60..<70) }
            try scene.frames.set(place.name, nil)
            for range in [0..<100, 20..<30] {
                let bytes = try await scene.store.chunks.read(place, range)
                #expect(bytes == nil)
            }
            let isThere = try await scene.store.chunks.objects.exists(place)
            #expect(!isThere)
        }
    }

    @Test("an interrupted deletion leaves objects that later collections remove")
    func deletion() async throws {
        try await withBucket { scene in
            try await scene.put([chunk])
            scene.time.advance(by: .seconds(100 * 86_400))
            scene.bucket.double.script(.refusal(status: 403, code: "AccessDenied"), for: "POST")
            let report = try await scene.store.collectNow()
            #expect(report.skipped.count == 1)
            #expect(scene.frames.names.count == 1)
            let used = try await scene.store.accounts.list().first?.used
            #expect(used == 0)
            for _ in 0..<2 { _ = try await scene.store.collectNow() }
            #expect(scene.frames.names == [])
        }
    }
}

@Suite("A bucket as the place of a server's chunks", .eachEngine, .timeLimit(.minutes(10)))
struct BucketPlaceTests {
    private let chunk = part(1, [1, 2, 3])

    @Test("a prefix belongs to one database: another one neither writes to it nor sweeps it")
    func owner() async throws {
        try await withBucket { scene in
            try await scene.put([chunk])
            let objects = scene.bucket.double.objects
            try await withFolder { path in
                let location = try scene.bucket.location(for: scene.path)
                var place = try ServerPlace.test(path)
                place.chunks = location
                let store = try ServerStore(
                    place, serving: true, log: quiet, bucket: scene.bucket.client(of: location))
                let account = try await store.newAccount("berta")
                let message = await expectStorage(.invalid) {
                    try await store.chunks.put([chunk], in: .cloudDocs, of: account)
                }
                #expect(message.contains("another server's database"))
                for _ in 0..<3 { _ = try await store.collectNow() }
                _ = await expectStorage(.invalid) { try await store.checkHealth() }
                try await store.close()
            }
            #expect(scene.bucket.double.objects == objects)
            try await scene.expectHeld([chunk])
        }
    }

    @Test("a bucket without this server's objects is refused once rows refer to some")
    func lostBucket() async throws {
        try await withBucket { scene in
            try await scene.put([chunk])
            for key in scene.bucket.double.objects.keys { scene.bucket.double.set(key, nil) }
            let again = try openStore(at: scene.path, serving: false)
            let message = await expectStorage(.invalid) { try await again.checkHealth() }
            #expect(message.contains("restore their earlier versions"))
            #expect(scene.bucket.double.objects.isEmpty)
            try await again.close()
        }
    }

    @Test("a bucket has no end: only the account's share limits what is free")
    func space() async throws {
        try await withBucket { scene in
            let free = try await scene.store.accounts.space(of: scene.account).free
            #expect(free == 1 << 50)
            try await scene.store.accounts.setQuota(10_000, of: "anna")
            try await scene.put([chunk])
            let space = try await scene.store.accounts.space(of: scene.account)
            #expect(space == SpaceResponse(total: 10_000, free: 10_000 - UInt64(StorageCost.chunk(3))))
            let statistics = try await scene.store.statistics()
            #expect(statistics.freeBytes == nil)
        }
    }

    @Test("the check of health writes and reads an object, and fails where the bucket refuses that")
    func health() async throws {
        try await withBucket { scene in
            try await scene.store.checkHealth()
            try await scene.store.checkHealth()
            let keys = Set(scene.bucket.double.objects.keys)
            #expect(keys == ["\(try scene.prefix())/health", "\(try scene.prefix())/ubiquity-server"])
            scene.bucket.double.script(.refusal(status: 403, code: "AccessDenied"), for: "PUT")
            _ = await expectStorage(.failed) { try await scene.store.checkHealth() }
        }
    }

    @Test("a server with its chunks in a bucket makes no backup, and says what to do instead")
    func backup() async throws {
        try await withBucket { scene in
            let message = await expectStorage(.invalid) {
                _ = try await scene.store.backUp(to: "\(scene.path)-backup")
            }
            #expect(message.contains("versioning"))
            #expect(!FileManager.default.fileExists(atPath: "\(scene.path)-backup"))
        }
    }

    @Test("the credentials of a bucket come from a file that only its owner can read")
    func credentials() async throws {
        try await withBucket { scene in
            let file = "\(scene.path)-credentials"
            defer { unlink(file) }
            try S3CredentialFile(file).save(scene.bucket.credentials, region: nil)
            let location = try scene.bucket.location(for: scene.path)
            func open() throws -> ServerStore {
                var place = try ServerPlace.test(scene.path)
                (place.chunks, place.credentialFile) = (location, file)
                return try ServerStore(place, serving: false, log: quiet)
            }
            let store = try open()
            try await store.checkHealth()
            try await store.close()
            #expect(chmod(file, 0o644) == 0)
            let exposed = try open()
            _ = await expectStorage(.failed) { try await exposed.checkHealth() }
            try await exposed.close()
        }
    }

    @Test(
        "a cache may be absent, empty or used before, and is not the directory of a server of its own", .sqliteFileOnly)
    func cache() async throws {
        try await withFolder { path in
            let cache = DataDirectory(path: path)
            for _ in 0..<2 { try cache.prepare(mayCreate: false, isCache: true) }
            try Data([1]).write(to: URL(filePath: "\(path)/notes"))
            let foreign = await expectStorage(.invalid) { try cache.prepare(mayCreate: true, isCache: true) }
            #expect(foreign.contains("not a server's"))
        }
        try await withFolder { path in
            try await withStore(at: path) { _ in }
            let message = await expectStorage(.invalid) {
                try DataDirectory(path: path).prepare(mayCreate: true, isCache: true)
            }
            #expect(message.contains("a server of its own"))
        }
    }

    @Test("names of objects are parsed back, and no other text is taken for one")
    func names() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let place = ChunkPlace(
                container: .random(in: 1...(.max)), id: part(.random(in: 0...(.max)), []).id,
                size: .random(in: 0...1_000_000),
                suffix: Bool.random() ? nil : ObjectSuffix(epoch: .random(in: 0...(.max)), random: random.next()))
            #expect(ChunkPlace(name: place.name) == place)
        }
        for text in [
            "", "1", "-1", "1-", "1-1", "-1-0000000000000000", "+1-0000000000000000", "1-000000000000000G",
            "01-0000000000000000", "1-000000000000000A", "1-0000000000000000-", "9223372036854775808-0000000000000000",
        ] {
            #expect(ObjectSuffix(text) == nil, "\(text)")
        }
    }
}
