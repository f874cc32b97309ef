import Basics
import CloudModel
import CloudProtocol
import ContainerLog
import ServerSupport
import TestSupport
import Testing

@testable import ServerStorage

@Suite("Uploads that are not completed", .eachEngine, .inFilesAndInABucket)
struct UnfinishedUploadTests {
    private struct Scene {
        let store: ServerStore
        let time: SettableTime
        var documents: Documents

        func used() async throws -> UInt64 { try await store.accounts.use(of: documents.account).used }

        /// Lets time pass as on a server that collects unfinished uploads.
        ///
        /// - Returns: The number of removed chunks.
        func pass(_ duration: Duration) async throws -> Int {
            var removed = 0
            var rest = duration
            while rest > .zero {
                time.advance(by: min(rest, UploadGrace.look))
                rest -= UploadGrace.look
                let report = try await store.collectUnfinished(.standard)
                #expect(report.skipped.isEmpty, "\(report.skipped)")
                removed += report.chunks
            }
            return removed
        }

        func ask(about parts: [ChunkBatch.Part]) async throws -> Int {
            try await store.chunks.missing(parts.map(\.id), in: .cloudDocs, of: documents.account).count
        }

        mutating func announce(_ size: UInt64) async throws -> ItemID {
            var random = SystemRandomNumberGenerator()
            let id = ItemID.random(using: &random)
            let attributes = ItemAttributes(permissions: 0o644, modified: .zero, created: .zero)
            let name = try ItemName("announced")
            try await documents.append([
                .create(
                    id, parent: .documents, name: name, attributes: attributes, body: .file(.announced(size: size)))
            ])
            return id
        }
    }

    private func withScene(
        seed: UInt64, quota: UInt64? = nil, _ body: (inout Scene) async throws -> Void
    ) async throws {
        let time = SettableTime()
        try await withStore(time: time) { store in
            let account = try await store.newAccount("anna", quota: quota)
            var scene = Scene(store: store, time: time, documents: Documents(store, account, seed: seed))
            try await body(&scene)
        }
    }

    @Test("the chunks of an upload that was given up go within the hour, and what they cost of the quota")
    func givenUp() async throws {
        try await withScene(seed: 1) { scene in
            let kept = scene.documents.content(chunks: 3)
            try await scene.documents.put(kept.parts)
            _ = try await scene.documents.create(kept.reference)
            let before = try await scene.used()
            let content = scene.documents.content(chunks: 5)
            try await scene.documents.put(content.parts)
            #expect(try await scene.used() > before)
            #expect(try await scene.pass(.seconds(3_600)) == content.parts.count)
            #expect(try await scene.used() == before)
            #expect(try await scene.store.holds(kept.parts, of: scene.documents.account))
        }
    }

    @Test("they go within the hour also where other devices upload all the time")
    func busy() async throws {
        try await withScene(seed: 2) { scene in
            var givenUp: [(at: Int, parts: [ChunkBatch.Part])] = []
            for minutes in stride(from: 0, to: 400, by: 5) {
                let content = scene.documents.content(chunks: 2)
                try await scene.documents.put(content.parts)
                if minutes % 35 == 0 {
                    givenUp.append((minutes, content.parts))
                } else {
                    _ = try await scene.documents.create(content.reference)
                }
                for (at, parts) in givenUp where minutes - at >= 60 {
                    for part in parts {
                        let place = try await scene.store.chunks.place(
                            of: part.id, in: .cloudDocs, of: scene.documents.account)
                        #expect(place == nil, "put at minute \(at), still here at \(minutes)")
                    }
                }
                _ = try await scene.pass(.seconds(300))
            }
        }
    }

    @Test("an upload under way takes as long as it takes, because its device asks about its chunks again")
    func underWay() async throws {
        try await withScene(seed: 3) { scene in
            let content = scene.documents.content(chunks: 40)
            var sent: [ChunkBatch.Part] = []
            for part in content.parts {
                try await scene.documents.put([part])
                sent.append(part)
                #expect(try await scene.pass(UploadGrace.renewal) == 0)
                #expect(try await scene.ask(about: sent) == 0)
            }
            _ = try await scene.documents.create(content.reference)
            #expect(try await scene.pass(.seconds(86_400)) == 0)
            #expect(try await scene.store.holds(content.parts, of: scene.documents.account))
        }
    }

    @Test("while a document is announced that fits, its device may sleep for days; once it is deleted, its chunks go")
    func announced() async throws {
        try await withScene(seed: 4) { scene in
            let content = scene.documents.content(chunks: 4)
            let item = try await scene.announce(content.reference.size)
            try await scene.documents.put(content.parts)
            #expect(try await scene.pass(.seconds(6 * 86_400)) == 0)
            try await scene.documents.append([.delete(item, base: nil)])
            #expect(try await scene.pass(.seconds(3_600)) == content.parts.count)
        }
    }

    @Test("the chunks of an announced document that does not fit go within the hour, because its upload is refused")
    func refused() async throws {
        try await withScene(seed: 5, quota: 100_000) { scene in
            let content = scene.documents.content(chunks: 4)
            _ = try await scene.announce(1 << 30)
            try await scene.documents.put(content.parts)
            #expect(try await scene.pass(.seconds(3_600)) == content.parts.count)
        }
    }

    @Test("what a put that is over the quota has stored of a document goes within the hour")
    func overQuota() async throws {
        try await withScene(seed: 6, quota: 30_000) { scene in
            let before = try await scene.used()
            let content = scene.documents.content(chunks: 12)
            await #expect {
                for part in content.parts { try await scene.documents.put([part]) }
            } throws: {
                ($0 as? StorageError)?.code == .quota
            }
            #expect(try await scene.used() > before)
            _ = try await scene.pass(.seconds(3_600))
            #expect(try await scene.used() == before)
        }
    }

    @Test("an upload to another process stays while it runs, and goes within the hour once it and that process ended")
    func otherProcess() async throws {
        try await withFolder { path in
            let time = SettableTime()
            try await withStore(at: path, time: time) { store in
                let account = try await store.newAccount("anna")
                var scene = Scene(store: store, time: time, documents: Documents(store, account, seed: 8))
                let content = scene.documents.content(chunks: 5)
                // The first chunk came to this process, the upload continues at another process.
                try await scene.documents.put(Array(content.parts.prefix(1)))
                let other = try openStore(at: path, serving: false, time: time)
                try await other.chunks.put(content.parts, in: .cloudDocs, of: account)
                for _ in 0..<18 {
                    #expect(try await scene.pass(UploadGrace.renewal) == 0)
                    let missing = try await other.chunks.missing(content.parts.map(\.id), in: .cloudDocs, of: account)
                    #expect(missing.isEmpty)
                }
                try await other.close()
                #expect(try await scene.pass(.seconds(3_600)) == content.parts.count)
            }
        }
    }

    @Test("an upload that only an earlier process has served goes within the hour, too")
    func earlierProcess() async throws {
        try await withFolder { path in
            let time = SettableTime()
            var account: AccountID?
            var parts: [ChunkBatch.Part] = []
            try await withStore(at: path, time: time) { store in
                let anna = try await store.newAccount("anna")
                var documents = Documents(store, anna, seed: 9)
                let content = documents.content(chunks: 3)
                try await documents.put(content.parts)
                (account, parts) = (anna, content.parts)
            }
            let anna = try #require(account)
            try await withStore(at: path, time: time) { store in
                let scene = Scene(store: store, time: time, documents: Documents(store, anna, seed: 10))
                let removed = try await scene.pass(.seconds(3_600))
                let rest = try await store.chunks.uploads.due(at: .max)
                #expect(removed == parts.count && rest.isEmpty)
            }
        }
    }

    @Test("a list of chunks that was complete counts as incomplete once a chunk of the container was removed")
    func list() async throws {
        try await withScene(seed: 7) { scene in
            let content = scene.documents.content(chunks: 3)
            try await scene.documents.put(content.parts)
            let item = try await scene.documents.create(content.reference)
            try await scene.documents.append([.delete(item, base: content.reference.digest)])
            scene.time.advance(by: .seconds(40 * 86_400))
            let account = scene.documents.account
            #expect(try await scene.store.chunks.hold([content.reference], in: .cloudDocs, of: account).isEmpty)
            // The list is asked about and stays; its chunks are not.
            scene.time.advance(by: .seconds(UploadGrace.seconds + 60))
            let list = try #require(content.parts.last)
            #expect(try await scene.ask(about: [list]) == 0)
            #expect(try await scene.store.collectNow().chunks == content.parts.count - 1)
            await #expect { _ = try await scene.documents.create(content.reference) } throws: {
                ($0 as? StorageError)?.code == .damaged
            }
        }
    }

    @Test("entries that arrive while their chunks are collected are complete, or refused", arguments: UInt64(1)...3)
    func crossing(seed: UInt64) async throws {
        try await withScene(seed: seed) { scene in
            var random = SeededGenerator(seed: seed)
            for _ in 0..<20 {
                let content = scene.documents.content(chunks: random.number(1..<5))
                try await scene.documents.put(content.parts)
                scene.time.advance(by: .seconds(UploadGrace.seconds + 1))
                let store = scene.store
                async let report = store.collectNow()
                do {
                    _ = try await scene.documents.create(content.reference)
                    _ = try await report
                    #expect(try await scene.store.holds(content.parts, of: scene.documents.account))
                } catch let error as StorageError where error.code == .damaged { _ = try await report }
            }
        }
    }
}
