import Basics
import Chunking
import CloudModel
import CloudStorage
import ContainerLog
import DeviceSupport
import LocalMetadata
import Sync
import TestSupport
import Testing
import VirtualFileSystem

@Suite("Chunks that the cloud lost before they were durable")
struct LostChunksTests {
    private let lost = CloudError(.damaged, "A chunk did not reach the disk and has to be sent again.")
    private let bytes = [UInt8](repeating: 7, count: 5000)

    @Test(
        "an append that fails because of lost chunks is retried after this device has put them again",
        .timeLimit(.minutes(10)))
    func restored() async throws {
        let test = try KernellessDevice(time: SystemTime())
        let chunk = Digest.of(bytes)
        let running = try await startAppending(test)
        test.backend.replaceChunk(chunk, in: .cloudDocs, with: nil)
        let before = test.backend.gate.count(.append)
        test.backend.gate.fail(.append, with: lost, times: 1)
        test.backend.gate.releaseOne()
        // Waits for the upload of the chunk, then for the second append.
        await test.backend.gate.untilHeld(1)
        test.backend.gate.releaseOne()
        await test.backend.gate.untilHeld(1)
        #expect(test.backend.gate.count(.append) == before + 1)
        #expect(test.backend.storedChunk(chunk, in: .cloudDocs) != nil)
        test.backend.gate.open()
        running.cancel()
        await running.value
    }

    @Test("a batch whose bytes are lost everywhere is rebuilt from the present state", .timeLimit(.minutes(10)))
    func withdrawn() async throws {
        let test = try KernellessDevice(time: SystemTime())
        let running = try await startAppending(test)
        test.backend.replaceChunk(Digest.of(bytes), in: .cloudDocs, with: nil)
        // The file was overwritten since, so its first bytes exist nowhere.
        let newer = [UInt8](repeating: 9, count: 6000)
        let item = try #require(try test.row("f"))
        let handle = try test.files.open(item.node, canWrite: true, truncate: true)
        _ = try newer.withUnsafeBytes { try test.files.write($0, at: 0, in: handle) }
        test.files.release(handle)
        test.engine.localTreeChanged()
        test.backend.gate.fail(.append, with: lost, times: 1)
        test.backend.gate.releaseOne()
        await test.backend.gate.untilHeld(1)
        test.backend.gate.open()
        let content = try await contentInLog(test)
        #expect(content.digest == Digest.of(newer))
        #expect(test.backend.storedChunk(content.digest, in: .cloudDocs) != nil)
        running.cancel()
        await running.value
    }

    @Test(
        "in a cloud that continues the known one, chunks that only the known one has are put before the batch",
        .timeLimit(.minutes(10)))
    func continuation() async throws {
        let test = try KernellessDevice(time: SystemTime())
        let chunk = Digest.of(bytes)
        let running = try await startAppending(test)
        running.cancel()
        await running.value
        test.backend.gate.open()
        test.backend.replaceChunk(chunk, in: .cloudDocs, with: nil)
        test.backend.rename(to: "copy")
        let again = Task { [engine = SyncEngine(test.context, limits: CacheLimits(minimumFree: 0))] in
            await engine.run()
        }
        try test.save("g", [1, 2, 3])
        while test.backend.storedChunk(chunk, in: .cloudDocs) == nil { await Task.yield() }
        again.cancel()
        await again.value
    }

    /// Runs the engine until it is about to append the batch that announces the file. Its chunk is then in the cloud.
    private func startAppending(_ test: KernellessDevice) async throws -> Task<Void, Never> {
        test.backend.gate.hold(.append)
        test.backend.gate.hold(.putChunk)
        try test.save("f", bytes)
        let running = Task { [engine = test.engine] in await engine.run() }
        // The engine sends the folder's time while it uploads the chunk.
        await test.backend.gate.untilHeld(2)
        test.backend.gate.releaseOne()
        test.backend.gate.releaseOne()
        await test.backend.gate.untilHeld(1)
        return running
    }

    /// Waits until the log has the file, and returns its content in the log.
    private func contentInLog(_ test: KernellessDevice) async throws -> ContentReference {
        while true {
            for record in try await test.backend.entries(in: .cloudDocs, after: .zero, limit: 9) {
                for case .create(_, _, _, _, .file(.stored(let content))) in try ChangeBatch(decoding: record.payload)
                    .changes
                { return content }
            }
            await Task.yield()
        }
    }
}
