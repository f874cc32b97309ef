import Basics
import CloudModel
import CloudProtocol
import ContainerLog
import Foundation
import GRDB
import ServerSupport
import TestSupport
import Testing

@testable import ServerStorage

@Suite("Chunk collection", .eachEngine, .inFilesAndInABucket)
struct CollectionTests {
    private static let day = Duration.seconds(86_400)

    /// A store with an account and a content with all its chunks.
    private struct Scene {
        let store: ServerStore
        let time: SettableTime
        var documents: Documents
        let content: (reference: ContentReference, parts: [ChunkBatch.Part])

        func expectKept(sourceLocation: SourceLocation = #_sourceLocation) async throws {
            let isThere = try await store.holds(content.parts, of: documents.account)
            #expect(isThere, sourceLocation: sourceLocation)
        }
    }

    private func withContent(
        seed: UInt64, chunks: Int, _ body: (inout Scene) async throws -> Void
    ) async throws {
        let time = SettableTime()
        try await withStore(time: time) { store in
            var documents = Documents(store, try await store.newAccount("anna"), seed: seed)
            let content = documents.content(chunks: chunks)
            try await documents.put(content.parts)
            var scene = Scene(store: store, time: time, documents: documents, content: content)
            try await body(&scene)
        }
    }

    @Test("a chunk that an upload asked about stays, whether the log referred to it before or not")
    func asked() async throws {
        try await withContent(seed: 1, chunks: 2) { scene in
            scene.time.advance(by: Self.day)
            #expect(
                try await scene.store.chunks.missing(
                    scene.content.parts.map(\.id), in: .cloudDocs, of: scene.documents.account
                ).isEmpty)
            scene.time.advance(by: .seconds(UploadGrace.seconds - 60))
            #expect(try await scene.store.collectNow().chunks == 0)
            _ = try await scene.documents.create(scene.content.reference)
            scene.time.advance(by: Self.day * 60)
            #expect(try await scene.store.collectNow().chunks == 0)
            try await scene.expectKept()
        }
    }

    @Test("an entry that refers to collected chunks is refused as damaged until they are put again")
    func late() async throws {
        try await withContent(seed: 2, chunks: 3) { scene in
            scene.time.advance(by: Self.day * 8)
            #expect(try await scene.store.collectNow().chunks == 4)
            await #expect { _ = try await scene.documents.create(scene.content.reference) } throws: {
                ($0 as? StorageError)?.code == .damaged
            }
            let missing = try await scene.store.chunks.missing(
                scene.content.parts.map(\.id), in: .cloudDocs, of: scene.documents.account)
            #expect(missing.count == 4)
            try await scene.documents.put(scene.content.parts)
            _ = try await scene.documents.create(scene.content.reference)
            try await scene.expectKept()
        }
    }

    @Test(
        "a chunk that a published link serves stays as long as the link, even if its document is deleted, and is then removed"
    )
    func published() async throws {
        try await withContent(seed: 6, chunks: 3) { scene in
            let item = try await scene.documents.create(scene.content.reference)
            var random = SystemRandomNumberGenerator()
            _ = try await scene.store.links.add(
                LinkToken.random(using: &random), to: scene.content.reference, name: try ItemName("a"), in: .cloudDocs,
                of: scene.documents.account, lifetime: Self.day * 90, password: nil)
            try await scene.documents.append([.delete(item, base: scene.content.reference.digest)])
            scene.time.advance(by: Self.day * 80)
            #expect(try await scene.store.collectNow().chunks == 0)
            try await scene.expectKept()
            scene.time.advance(by: Self.day * 40)
            #expect(try await scene.store.collectNow().chunks == scene.content.parts.count)
        }
    }

    @Test("a content with a missing chunk cannot be published")
    func publishedIncomplete() async throws {
        try await withStore { store in
            var documents = Documents(store, try await store.newAccount("anna"), seed: 7)
            let content = documents.content(chunks: 3)
            try await documents.put(Array(content.parts.dropFirst()))
            await #expect {
                var random = SystemRandomNumberGenerator()
                _ = try await store.links.add(
                    LinkToken.random(using: &random), to: content.reference, name: try ItemName("a"), in: .cloudDocs,
                    of: documents.account, lifetime: Self.day, password: nil)
            } throws: {
                ($0 as? StorageError)?.code == .notFound
            }
        }
    }

    @Test("nothing is removed from a log with an entry of a newer version")
    func newer() async throws {
        try await withContent(seed: 3, chunks: 1) { scene in
            _ = try await scene.store.logs.append([99, 1, 2], key: nil, to: .cloudDocs, of: scene.documents.account)
            scene.time.advance(by: Self.day * 100)
            let report = try await scene.store.collectNow()
            #expect(report.chunks == 0 && report.skipped.count == 1)
        }
    }

    @Test("nothing is removed while a manifest cannot be read")
    func unreadable() async throws {
        let time = SettableTime()
        try await withFolder { path in
            try await withStore(at: path, time: time) { store in
                var documents = Documents(store, try await store.newAccount("anna"), seed: 4)
                let (content, stray) = (documents.content(chunks: 3), documents.content(chunks: 1))
                try await documents.put(content.parts + stray.parts)
                _ = try await documents.create(content.reference)
                let place = try #require(
                    try await store.chunks.place(of: content.reference.digest, in: .cloudDocs, of: documents.account))
                try Frames(at: path).set(place.name, [UInt8](repeating: 0, count: place.size))
                time.advance(by: Self.day * 100)
                let report = try await store.collectNow()
                #expect(report.chunks == 0 && report.skipped.count == 1)
            }
        }
    }

    @Test("a frame that a crash left without a row is removed once no put under way can refer to it", .sqliteFileOnly)
    func strays() async throws {
        try await withFolder { path in
            try await withStore(at: path) { store in
                let account = try await store.newAccount("anna")
                let chunk = part(1, [1, 2, 3])
                try await store.chunks.put([chunk], in: .cloudDocs, of: account)
                let database = try DatabaseQueue(path: "\(path)/server.sqlite")
                try await database.write { try $0.execute(sql: "DELETE FROM chunk") }
                #expect(try await store.collectNow().strayFiles == 0)
                let frames = try Frames(at: path)
                let name = try #require(frames.names.first)
                if TestBucket.current == nil {
                    let old = Date(timeIntervalSinceNow: -7_200)
                    try FileManager.default.setAttributes(
                        [.modificationDate: old], ofItemAtPath: "\(path)/chunks/\(name)")
                }
                #expect(try await store.collectNow().strayFiles == 1)
                #expect(frames.names == [])
                // A put checks for the file in the transaction that writes the row, so a put after the collection
                // stores the chunk completely.
                try await store.chunks.put([chunk], in: .cloudDocs, of: account)
                let isThere = try await store.holds([chunk], of: account)
                #expect(isThere)
            }
        }
    }

    @Test("one process of a server collects at a time; another one leaves it to that")
    func oneAtATime() async throws {
        try await withContent(seed: 6, chunks: 3) { scene in
            scene.time.advance(by: Self.day * 8)
            let other = try #require(try await scene.store.database.acquire(.collection, .exclusive))
            let skipped = try await scene.store.collect(.standard, pause: .zero)
            #expect(skipped.isElsewhere && skipped.chunks == 0)
            try await scene.expectKept()
            other.release()
            for chunks in [4, 0] {
                let report = try await scene.store.collect(.standard, pause: .zero)
                #expect(!report.isElsewhere && report.chunks == chunks)
            }
        }
    }

    @Test("nothing is collected while chunks are copied")
    func copying() async throws {
        let time = SettableTime()
        try await withFolder { path in
            try await withStore(at: path, time: time) { store in
                var documents = Documents(store, try await store.newAccount("anna"), seed: 5)
                try await documents.put(documents.content(chunks: 1).parts)
                time.advance(by: Self.day * 100)
                let descriptor = open("\(path)/copying", O_RDWR | O_CREAT, 0o600)
                #expect(flock(descriptor, LOCK_SH) == 0)
                #expect(try await store.collectNow().gaveWay)
                close(descriptor)
                #expect(try await store.collectNow().chunks == 1)
            }
        }
    }

    @Test("concurrent puts, queries and collections never leave a row without its file")
    func race() async throws {
        let time = SettableTime()
        try await withStore(time: time) { store in
            let account = try await store.newAccount("anna")
            let parts = (UInt64(0)..<40).map { part($0, [UInt8](repeating: UInt8($0), count: 10)) }
            for _ in 0..<12 {
                try await store.chunks.put(parts, in: .cloudDocs, of: account)
                time.advance(by: Self.day * 30)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { _ = try await store.collectNow() }
                    for part in parts {
                        group.addTask { try await store.chunks.put([part], in: .cloudDocs, of: account) }
                    }
                    try await group.waitForAll()
                }
                let isThere = try await store.holds(parts, of: account)
                #expect(isThere)
            }
        }
    }
}
