import Basics
import Chunking
import CloudModel
import CloudProtocol
import ContainerLog
import Foundation
import ServerStorage
import ServerSupport
import Testing

@Suite("Manifests on a server", .eachEngine, .inFilesAndInABucket, .timeLimit(.minutes(10)))
struct ManifestTests {
    /// A manifest that names one chunk many times: small as a frame, large when decompressed.
    private struct Bomb {
        let chunk: ChunkBatch.Part
        let list: ChunkBatch.Part
        let size: UInt64

        init(_ number: UInt8, count: Int) {
            let plain: [UInt8] = [number]
            chunk = ChunkBatch.Part(id: Digest.of(plain), frame: ChunkFrame.encode(plain))
            let manifest = Manifest(Array(repeating: ChunkEntry(id: chunk.id, length: 1), count: count))
            let encoded = manifest.encoded()
            list = ChunkBatch.Part(id: Digest.of(encoded), frame: ChunkFrame.encode(encoded))
            size = manifest.size
        }

        func content(size: UInt64? = nil) -> ContentReference {
            ContentReference(digest: list.id, size: size ?? self.size, layout: .manifest)
        }
    }

    private func entry(_ contents: [ContentReference]) throws -> [UInt8] {
        let changes = try contents.map { content in
            Change.create(
                ItemID.random(), parent: .documents, name: try ItemName("a"),
                attributes: ItemAttributes(permissions: 0o644, modified: .zero, created: .zero),
                body: .file(.stored(content)))
        }
        return try ChangeBatch(
            device: DeviceID(1), deviceName: "d", deviceSequence: 1, time: Timestamp(seconds: 1_800_000_000),
            changes: changes
        ).encoded()
    }

    private func expectRefused(
        _ code: StorageError.Code, _ contents: [ContentReference], _ store: ServerStore, _ account: AccountID,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await #expect(sourceLocation: sourceLocation) {
            _ = try await store.logs.append(entry(contents), key: nil, to: .cloudDocs, of: account)
        } throws: {
            ($0 as? StorageError)?.code == code
        }
    }

    @Test(
        "a manifest is decompressed once, however many entries refer to it; an entry with another size is refused without reading it"
    )
    func once() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            let bomb = Bomb(1, count: 20_000)
            try await store.chunks.put([bomb.chunk, bomb.list], in: .cloudDocs, of: account)
            await expectRefused(.invalid, (0..<12).map { bomb.content(size: $0) }, store, account)
            #expect(store.chunks.manifestReads == 0)
            await expectRefused(.invalid, [bomb.content(size: 7)], store, account)
            let reads = store.chunks.manifestReads
            #expect(reads == 1)
            for size in 8..<20 { await expectRefused(.invalid, [bomb.content(size: UInt64(size))], store, account) }
            #expect(store.chunks.manifestReads == reads)
            for _ in 0..<3 {
                _ = try await store.logs.append(entry([bomb.content()]), key: nil, to: .cloudDocs, of: account)
            }
            #expect(store.chunks.manifestReads <= reads + 1)
            let log = try await store.logs.page(of: .cloudDocs, after: .zero, limit: 99, account: account)
            #expect(log.payloads.count == 3)
        }
    }

    @Test("chunks that are not manifests are refused, and are not read again")
    func none() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            let bytes: [UInt8] = [1] + Array("no list of chunks".utf8)
            let chunk = ChunkBatch.Part(id: Digest.of(bytes), frame: ChunkFrame.encode(bytes))
            try await store.chunks.put([chunk], in: .cloudDocs, of: account)
            let content = ContentReference(digest: chunk.id, size: 1 << 20, layout: .manifest)
            for _ in 0..<3 { await expectRefused(.invalid, [content], store, account) }
            #expect(store.chunks.manifestReads == 1)
        }
    }

    /// Returns a small frame that inflates to 60 MiB and is no manifest.
    private static func large(_ number: UInt8) -> ChunkBatch.Part {
        let plain = [1] + [UInt8](repeating: 100 + number, count: 60 << 20)
        return ChunkBatch.Part(id: Digest.of(plain), frame: ChunkFrame.encode(plain))
    }

    @Test("manifests that together claim more than an entry may have are refused before one is read")
    func tooMuch() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            let parts = (UInt8(1)...3).map { Self.large($0) }
            try await store.chunks.put(parts, in: .cloudDocs, of: account)
            let contents = parts.map { ContentReference(digest: $0.id, size: 9, layout: .manifest) }
            await expectRefused(.tooLarge, contents, store, account)
            #expect(store.chunks.manifestReads == 0)
            // Two contents are within the bound, so the server reads them and finds that they are not manifests.
            await expectRefused(.invalid, Array(contents.prefix(2)), store, account)
            #expect(store.chunks.manifestReads == 2)
        }
    }

    @Test("an entry that says that one chunk has more bytes than a chunk can have, or none, is refused")
    func layouts() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            let chunk = ChunkBatch.Part(id: .of([1, 2, 3, 4, 5]), frame: ChunkFrame.encode([1, 2, 3, 4, 5]))
            try await store.chunks.put([chunk], in: .cloudDocs, of: account)
            for size in [UInt64(Int64.max), UInt64(ChunkFrame.maximumChunkLength) + 1, 0] {
                let content = ContentReference(digest: chunk.id, size: size, layout: .chunk)
                await expectRefused(.invalid, [content], store, account)
            }
            let right = ContentReference(digest: chunk.id, size: 5, layout: .chunk)
            _ = try await store.logs.append(entry([right]), key: nil, to: .cloudDocs, of: account)
        }
    }

    @Test("reading manifests stops when the client has disconnected")
    func cancelled() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            let bombs = (UInt8(1)...8).map { Bomb($0, count: 60_000) }
            try await store.chunks.put(bombs.flatMap { [$0.chunk, $0.list] }, in: .cloudDocs, of: account)
            let payload = try entry(bombs.map { $0.content() })
            let request = Task { try await store.logs.append(payload, key: nil, to: .cloudDocs, of: account) }
            while store.chunks.manifestReads == 0 { await Task.yield() }
            request.cancel()
            await #expect(throws: (any Error).self) { try await request.value }
            #expect(store.chunks.manifestReads < 8)
        }
    }

    @Test("manifests with wrong sizes in entries do not keep other chunks from being collected")
    func collection() async throws {
        let time = SettableTime()
        try await withStore(time: time) { store in
            let account = try await store.newAccount("anna")
            let bomb = Bomb(1, count: 9_000)
            let stray = part(9, [9])
            try await store.chunks.put([bomb.chunk, bomb.list, stray], in: .cloudDocs, of: account)
            _ = try await store.logs.append(entry([bomb.content()]), key: nil, to: .cloudDocs, of: account)
            let reads = store.chunks.manifestReads
            time.advance(by: .seconds(40 * 86_400))
            let report = try await store.collectNow()
            #expect(report.chunks == 1 && report.skipped.isEmpty)
            // The collector reads the manifest once for all three parts.
            #expect(store.chunks.manifestReads == reads + 1)
            let isThere = try await store.holds([bomb.chunk, bomb.list], of: account)
            #expect(isThere)
        }
    }

    @Test(
        "manifests beyond the limit of a published document are not published, and the password of a refused link is not hashed"
    )
    func published() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            let part = Self.large(1)
            try await store.chunks.put([part], in: .cloudDocs, of: account)
            var random = SystemRandomNumberGenerator()
            let token = LinkToken.random(using: &random)
            await #expect {
                _ = try await store.links.add(
                    token, to: ContentReference(digest: part.id, size: 9, layout: .manifest), name: ItemName("a"),
                    in: .cloudDocs, of: account, lifetime: .seconds(60), password: "secret")
            } throws: {
                ($0 as? StorageError)?.code == .tooLarge
            }
            #expect(store.chunks.manifestReads == 0)
        }
    }
}
