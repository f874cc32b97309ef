import Basics
import Chunking
import CloudModel
import CloudStorage
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Transfers

@Suite struct ContentUploaderTests {
    @Test(
        "Empty files and files of one or many chunks get the references of their bytes", arguments: [0, 1, 256, 60_000])
    func references(size: Int) async throws {
        let fixture = try Fixture()
        let bytes = randomBytes(size)
        let result = try await fixture.upload(bytes)
        let hasher = ContentHasher(pool: fixture.context.pool, parameters: Fixture.parameters)
        #expect(result.reference == (try await hasher.reference(fixture.file(bytes))))
        #expect(result.reference.size == UInt64(size))
        #expect(result.reference.layout == (size == 0 ? .empty : size <= 256 ? .chunk : .manifest))
        #expect(result.bytesSent == fixture.backend.bytesPut)
        let target = try fixture.file(size: UInt64(size))
        try await fixture.download(result.reference, to: target).completeAll()
        #expect(try fixture.contents(target) == bytes)
    }

    @Test("A second upload of the same bytes sends nothing")
    func again() async throws {
        let fixture = try Fixture()
        let bytes = randomBytes(100_000)
        let first = try await fixture.upload(bytes)
        let sent = fixture.backend.bytesPut
        let second = try await fixture.upload(bytes)
        #expect(second.reference == first.reference)
        #expect(second.bytesSent == 0)
        #expect(fixture.backend.bytesPut == sent)
    }

    @Test("A change inside a large file sends the chunks around it and the manifest")
    func delta() async throws {
        let fixture = try Fixture()
        var bytes = randomBytes(1_000_000)
        _ = try await fixture.upload(bytes)
        bytes[500_000] ^= 1
        let second = try await fixture.upload(bytes)
        #expect(second.bytesSent <= 3 * 4_096 + second.manifest.encoded().count + 100)
        #expect(second.bytesSent > 0)
    }

    @Test("The manifest is sent only when all chunks are stored")
    func manifestLast() async throws {
        let fixture = try Fixture()
        let bytes = randomBytes(20_000)
        let manifest = try await ContentHasher(pool: fixture.context.pool, parameters: Fixture.parameters)
            .manifest(fixture.file(bytes))
        let last = try #require(manifest.chunks.last).id
        fixture.backend.gate.hold { $0.operation == .putChunk && $0.chunk == last }
        async let upload = fixture.upload(bytes)
        await fixture.backend.gate.untilHeld(1)
        #expect(fixture.backend.storedChunk(manifest.reference.digest, in: fixture.container) == nil)
        fixture.backend.gate.open()
        #expect(try await upload.reference == manifest.reference)
        #expect(fixture.backend.storedChunk(manifest.reference.digest, in: fixture.container) != nil)
    }

    @Test("A file that changed after all of it was sent is refused, and its manifest is not sent")
    func changedAtTheEnd() async throws {
        let fixture = try Fixture()
        let file = try fixture.file(randomBytes(20_000))
        let manifest = try await ContentHasher(pool: fixture.context.pool, parameters: Fixture.parameters).manifest(
            file)
        let code = await errorCode {
            try await fixture.uploader.upload(
                file, size: 20_000, to: fixture.container,
                stillUnchanged: {
                    fixture.backend.storedChunks(in: fixture.container).count < manifest.chunks.count
                })
        }
        #expect(code == .changedWhileReading)
        #expect(fixture.backend.storedChunks(in: fixture.container).count == manifest.chunks.count)
        #expect(fixture.backend.storedChunk(manifest.reference.digest, in: fixture.container) == nil)
    }

    @Test("Of a file that changes nothing more is sent")
    func changedMeanwhile() async throws {
        let fixture = try Fixture()
        let file = try fixture.file(randomBytes(20_000))
        let isChanged = Mutex(false)
        fixture.backend.gate.hold(.putChunk)
        async let code = errorCode {
            try await fixture.uploader.upload(
                file, size: 20_000, to: fixture.container,
                stillUnchanged: { !isChanged.withLock { $0 } })
        }
        await fixture.backend.gate.untilHeld(4)
        isChanged.withLock { $0 = true }
        fixture.backend.gate.open()
        #expect(await code == .changedWhileReading)
        #expect(fixture.backend.gate.count(.putChunk) == 4)
    }

    @Test("Of a file that changes before it is read nothing is sent")
    func changedBefore() async throws {
        let fixture = try Fixture()
        let file = try fixture.file(randomBytes(20_000))
        let code = await errorCode {
            try await fixture.uploader.upload(file, size: 20_000, to: fixture.container, stillUnchanged: { false })
        }
        #expect(code == .changedWhileReading)
        #expect(fixture.backend.gate.count(.putChunk) == 0)
    }

    @Test("Bytes that changed after they were hashed are never stored under the old name")
    func changedBetween() async throws {
        let fixture = try Fixture()
        let file = try fixture.file(randomBytes(20_000))
        fixture.backend.gate.hold(.missing)
        async let code = errorCode { try await fixture.uploader.upload(file, size: 20_000, to: fixture.container) }
        await fixture.backend.gate.untilHeld(1)
        try file.write(randomBytes(20_000, seed: 2), at: 0)
        fixture.backend.gate.open()
        #expect(await code == .changedWhileReading)
        for id in fixture.backend.storedChunks(in: fixture.container) {
            let frame = try #require(fixture.backend.storedChunk(id, in: fixture.container))
            _ = try ChunkFrame.decode(frame, expecting: id)
        }
    }

    @Test("A file whose size is not the announced one counts as changed", arguments: [19_999, 20_001, 0])
    func otherSize(size: UInt64) async throws {
        let fixture = try Fixture()
        let file = try fixture.file(randomBytes(20_000))
        let code = await errorCode { try await fixture.uploader.upload(file, size: size, to: fixture.container) }
        #expect(code == .changedWhileReading)
    }

    @Test("A batch of small files asks once for many chunks, sends equal ones once, and one bad file fails alone")
    func batch() async throws {
        let fixture = try Fixture()
        var items = try (0..<100).map { try fixture.item(randomBytes(100, seed: UInt64($0 % 50))) }
        items.append(UploadItem(size: 5, open: { throw Errno(ENOENT, "open") }))
        items.append(try fixture.item(randomBytes(100, seed: 99), stillUnchanged: { false }))
        let results = try await fixture.uploader.upload(items, to: fixture.container)
        #expect(results.prefix(100).allSatisfy { (try? $0.get().reference.layout) == .chunk })
        #expect(throws: TransferError(.localFile, "")) { try results[100].get() }
        #expect(throws: TransferError(.changedWhileReading, "")) { try results[101].get() }
        #expect(fixture.backend.gate.count(.missing) == 1)
        #expect(fixture.backend.gate.count(.putChunk) == 50)
    }

    @Test("Of two equal files the second is uploaded although the first has disappeared")
    func equalFiles() async throws {
        let fixture = try Fixture()
        let bytes = randomBytes(200)
        let opened = Mutex(0)
        let good = try fixture.file(bytes)
        let vanishing = UploadItem(
            size: 200,
            open: {
                let isFirst = opened.withLock { count in
                    count += 1
                    return count == 1
                }
                if isFirst { return good }
                throw Errno(ENOENT, "open")
            })
        let results = try await fixture.uploader.upload([vanishing, fixture.item(bytes)], to: fixture.container)
        #expect(throws: TransferError(.localFile, "")) { try results[0].get() }
        #expect(try results[1].get().reference.digest == .of(bytes))
        #expect(fixture.backend.storedChunk(.of(bytes), in: fixture.container) != nil)
    }

    @Test(
        "When the cloud becomes unreachable every unfinished file fails with offline, and finished ones stay finished")
    func offline() async throws {
        let fixture = try Fixture()
        fixture.backend.gate.fail(.putChunk, with: CloudError(.offline, "no network"))
        let results = try await fixture.uploader.upload(
            [fixture.item([]), fixture.item(randomBytes(50_000))], to: fixture.container)
        #expect(try results[0].get().reference.layout == .empty)
        #expect(throws: TransferError(.offline, "")) { try results[1].get() }
    }

    @Test("When the cloud becomes unreachable the rest of a long batch is not read")
    func offlineEarly() async throws {
        let fixture = try Fixture()
        fixture.backend.gate.fail(.missing, with: CloudError(.offline, "no network"))
        let file = try fixture.file(randomBytes(10))
        let opened = Mutex(0)
        let item = UploadItem(
            size: 10,
            open: {
                opened.withLock { $0 += 1 }
                return file
            })
        let results = try await fixture.uploader.upload(Array(repeating: item, count: 10_000), to: fixture.container)
        #expect(results.allSatisfy { $0 == .failure(TransferError(.offline, "")) })
        #expect(opened.withLock { $0 } <= 2 * ContentUploader.groupChunks)
    }

    @Test("At most four chunks of one call are sent at once")
    func parallel() async throws {
        let fixture = try Fixture(slots: 32)
        fixture.backend.gate.hold(.putChunk)
        async let result = fixture.upload(randomBytes(50_000))
        await fixture.backend.gate.untilHeld(4)
        #expect(fixture.backend.gate.count(.putChunk) == 4)
        fixture.backend.gate.open()
        _ = try await result
    }

    @Test("A cancelled upload ends although the cloud never responds")
    func cancellation() async throws {
        let fixture = try Fixture()
        fixture.backend.gate.hold(.putChunk)
        let task = Task { try await fixture.upload(randomBytes(50_000)) }
        await fixture.backend.gate.untilHeld(4)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("Progress grows to the whole size, also over several groups")
    func progress() async throws {
        let fixture = try Fixture()
        let bytes = randomBytes(1_500_000)
        let seen = Mutex<[UInt64]>([])
        _ = try await fixture.uploader.upload(
            fixture.file(bytes), size: UInt64(bytes.count), to: fixture.container,
            progress: { count in seen.withLock { $0.append(count) } })
        let counts = seen.withLock { $0 }
        #expect(counts == counts.sorted())
        #expect(counts.last == UInt64(bytes.count))
    }
}
