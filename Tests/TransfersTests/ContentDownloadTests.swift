import Basics
import Chunking
import CloudModel
import CloudStorage
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Transfers

@Suite struct ContentDownloadTests {
    private let bytes = randomBytes(60_000)

    @Test("However many read, the manifest and each chunk are fetched once, and all readers get the right bytes")
    func singleFlight() async throws {
        let fixture = try Fixture()
        let upload = try await fixture.upload(bytes)
        let target = try fixture.file(size: upload.reference.size)
        let download = fixture.download(upload.reference, to: target)
        fixture.backend.gate.hold(.getChunk)
        await withThrowingTaskGroup { group in
            for reader in 0..<20 {
                let start = UInt64(reader * 2_500)
                group.addTask {
                    try await download.ensure(start..<start + 10_000, patience: nil)
                    let read = try target.read(at: start, length: 10_000)
                    #expect(read == Array(bytes[Int(start)...].prefix(10_000)))
                }
            }
            await fixture.backend.gate.untilHeld(1)
            fixture.backend.gate.open()
        }
        try await download.completeAll()
        #expect(fixture.backend.gate.count(.getChunk, of: upload.reference.digest) == 1)
        for chunk in upload.manifest.chunks { #expect(fixture.backend.gate.count(.getChunk, of: chunk.id) == 1) }
        #expect(try fixture.contents(target) == bytes)
        #expect(download.isComplete && download.fractionPresent == 1)
    }

    @Test("A reader waits only for its own chunks, and overtakes a whole download")
    func demandOvertakes() async throws {
        let fixture = try Fixture()
        let upload = try await fixture.upload(bytes)
        let download = fixture.download(upload.reference, to: try fixture.file(size: upload.reference.size))
        let last = upload.manifest.chunks.count - 1
        let lastID = upload.manifest.chunks[last].id
        fixture.backend.gate.hold {
            $0.operation == .getChunk && $0.chunk != lastID && $0.chunk != upload.reference.digest
        }
        let whole = Task { try await download.completeAll() }
        await fixture.backend.gate.untilHeld(4)
        try await download.ensure(upload.manifest.range(of: last), patience: nil)
        #expect(download.isPresent(upload.manifest.range(of: last)))
        #expect(!download.isPresent(0..<1))
        fixture.backend.gate.open()
        try await whole.value
    }

    @Test("A cancelled reader fails alone: a reader that waits for the same chunk gets it, fetched once")
    func cancelOne() async throws {
        let fixture = try Fixture()
        let upload = try await fixture.upload(bytes)
        let download = fixture.download(upload.reference, to: try fixture.file(size: upload.reference.size))
        fixture.backend.gate.hold { $0.operation == .getChunk && $0.chunk != upload.reference.digest }
        let first = Task { try await download.ensure(0..<1, patience: nil) }
        await fixture.backend.gate.untilHeld(1)
        let second = Task { try await download.ensure(0..<1, patience: nil) }
        while download.waiterCount < 2 { await Task.yield() }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        fixture.backend.gate.open()
        try await second.value
        #expect(fixture.backend.gate.count(.getChunk, of: upload.manifest.chunks[0].id) == 1)
    }

    @Test("When the last reader is cancelled so is the fetch, and a later read starts it again")
    func cancelLast() async throws {
        let fixture = try Fixture()
        let upload = try await fixture.upload(randomBytes(200))
        let target = try fixture.file(size: 200)
        let download = fixture.download(upload.reference, to: target)
        fixture.backend.gate.hold(.getChunk)
        let reader = Task { try await download.ensure(0..<1, patience: nil) }
        await fixture.backend.gate.untilHeld(1)
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(fixture.backend.gate.heldCalls.isEmpty)
        fixture.backend.gate.open()
        try await download.ensure(0..<1, patience: nil)
        #expect(try fixture.contents(target) == randomBytes(200))
    }

    @Test("A chunk that stays damaged is an error after one retry, and its bytes are never written")
    func damaged() async throws {
        let fixture = try Fixture()
        let upload = try await fixture.upload(bytes)
        let target = try fixture.file(size: upload.reference.size)
        let download = fixture.download(upload.reference, to: target)
        let bad = upload.manifest.chunks[3]
        fixture.backend.replaceChunk(
            bad.id, in: fixture.container, with: ChunkFrame.encode(randomBytes(bad.length, seed: 9)))
        #expect(await errorCode { try await download.ensure(upload.manifest.range(of: 3), patience: nil) } == .damaged)
        #expect(fixture.backend.gate.count(.getChunk, of: bad.id) == 2)
        #expect(!download.isPresent(upload.manifest.range(of: 3)))
        let written = try target.read(at: upload.manifest.offset(of: 3), length: bad.length)
        #expect(written == [UInt8](repeating: 0, count: bad.length))
        #expect(await errorCode { try await download.completeAll() } == .damaged)
    }

    @Test("A damaged manifest, a missing one and one of a newer version are distinguished")
    func manifestErrors() async throws {
        let fixture = try Fixture()
        let upload = try await fixture.upload(bytes)
        let id = upload.reference.digest
        let good = try #require(fixture.backend.storedChunk(id, in: fixture.container))
        let newer = Array(good[..<4]) + [99] + good[5...]
        let cases: [([UInt8]?, TransferError.Code)] = [
            (Array(good.dropLast()), .damaged), (nil, .notFound), (newer, .tooNew),
        ]
        for (frame, expected) in cases {
            fixture.backend.replaceChunk(id, in: fixture.container, with: frame)
            let download = fixture.download(upload.reference, to: try fixture.file(size: upload.reference.size))
            #expect(await errorCode { try await download.ensure(0..<1, patience: nil) } == expected)
        }
    }

    @Test("A download resumed from its bitmap fetches only the absent chunks")
    func resume() async throws {
        let fixture = try Fixture()
        let upload = try await fixture.upload(bytes)
        let target = try fixture.file(size: upload.reference.size)
        let first = fixture.download(upload.reference, to: target)
        try await first.ensure(upload.manifest.range(of: 7), patience: nil)
        try await first.ensure(upload.manifest.range(of: 20), patience: nil)
        await first.stop()
        var options = ContentDownload.Options()
        options.presentChunks = first.presentChunks
        options.manifest = first.manifest
        let fetched = fixture.backend.gate.count(.getChunk)
        let second = fixture.download(upload.reference, to: target, options: options)
        #expect(second.isPresent(upload.manifest.range(of: 7)))
        #expect(second.progress == first.progress)
        try await second.completeAll()
        #expect(fixture.backend.gate.count(.getChunk) - fetched == upload.manifest.chunks.count - 2)
        #expect(try fixture.contents(target) == bytes)
    }

    @Test("A manifest of another content is rejected")
    func foreignManifest() async throws {
        let fixture = try Fixture()
        let upload = try await fixture.upload(bytes)
        let other = try await fixture.upload(randomBytes(60_000, seed: 8))
        let target = try fixture.file(size: upload.reference.size)
        var options = ContentDownload.Options()
        options.manifest = other.manifest
        try await fixture.download(upload.reference, to: target, options: options).completeAll()
        #expect(try fixture.contents(target) == bytes)
    }

    @Test("Chunks of an older version are copied, and wrong ones are fetched")
    func reuse() async throws {
        let fixture = try Fixture()
        let old = try await fixture.upload(bytes)
        var newBytes = bytes
        newBytes.insert(contentsOf: randomBytes(10, seed: 5), at: 30_000)
        let new = try await fixture.upload(newBytes)
        let known = Set(old.manifest.chunks.map(\.id))
        let fresh = new.manifest.chunks.filter { !known.contains($0.id) }
        var damaged = bytes
        damaged[10] ^= 1
        let target = try fixture.file(size: new.reference.size)
        var options = ContentDownload.Options()
        options.reuse = ChunkSource(file: try fixture.file(damaged), manifest: old.manifest)
        try await fixture.download(new.reference, to: target, options: options).completeAll()
        #expect(try fixture.contents(target) == newBytes)
        // The download fetches the manifest, the new chunks, and the chunk with a damaged old copy.
        #expect(fixture.backend.gate.count(.getChunk) == 1 + fresh.count + 1)
    }

    @Test("A chunk that occurs many times in a content is fetched a few times at most")
    func repeatedChunks() async throws {
        let fixture = try Fixture()
        let upload = try await fixture.upload([UInt8](repeating: 7, count: 400_000))
        let target = try fixture.file(size: 400_000)
        try await fixture.download(upload.reference, to: target).completeAll()
        #expect(try fixture.contents(target) == [UInt8](repeating: 7, count: 400_000))
        #expect(fixture.backend.gate.count(.getChunk) <= 1 + 4 + 1)
    }

    @Test("A full disk is noSpace with its errno, and no chunk counts as present")
    func noSpace() async throws {
        let fixture = try Fixture()
        let upload = try await fixture.upload(randomBytes(200))
        let full = SharedDescriptor(adopting: try check("open") { open("/dev/full", O_RDWR) })
        let download = fixture.download(upload.reference, to: full)
        do {
            try await download.ensure(0..<200, patience: nil)
            Issue.record("a write to a full disk succeeded")
        } catch let error as TransferError {
            #expect(error.code == .noSpace)
            #expect(error.errno == Errno(ENOSPC))
        }
        #expect(!download.isPresent(0..<1))
    }

    @Test("Presence is reported before the waiter continues, and grows to the whole file")
    func progress() async throws {
        let fixture = try Fixture()
        let upload = try await fixture.upload(bytes)
        let last = Mutex(DownloadProgress(presentBytes: 0, size: 0, isComplete: false))
        var options = ContentDownload.Options()
        options.onProgress = { progress in
            last.withLock { if progress.presentBytes > $0.presentBytes { $0 = progress } }
        }
        let target = try fixture.file(size: upload.reference.size)
        try await fixture.download(upload.reference, to: target, options: options).completeAll()
        #expect(last.withLock { $0 } == DownloadProgress(presentBytes: 60_000, size: 60_000, isComplete: true))
    }

    @Test("After a stop nothing is written and waiters get an error")
    func stop() async throws {
        let fixture = try Fixture()
        let upload = try await fixture.upload(bytes)
        let target = try fixture.file(size: upload.reference.size)
        let download = fixture.download(upload.reference, to: target)
        fixture.backend.gate.hold { $0.operation == .getChunk && $0.chunk != upload.reference.digest }
        async let code = errorCode { try await download.completeAll() }
        await fixture.backend.gate.untilHeld(4)
        await download.stop()
        #expect(await code == .stopped)
        fixture.backend.gate.open()
        #expect(await errorCode { try await download.ensure(0..<1, patience: nil) } == .stopped)
        #expect(try fixture.contents(target) == [UInt8](repeating: 0, count: 60_000))
    }
}

extension ContentDownload {
    var waiterCount: Int { state.withLock { $0.waiters.count } }
}
