import Basics
import CloudModel
import DeviceSupport
import LocalMetadata
import TestSupport
import Testing
import VirtualFileSystem

@testable import Sync

@Suite("Downloads that end early", .timeLimit(.minutes(5)))
struct CancelledDownloadTests {
    private let backend: InMemoryBackend
    private let device: KernellessDevice
    private var downloads: ContentService { device.engine.downloads }

    /// A device with a remote document.
    init() async throws {
        backend = InMemoryBackend()
        device = try KernellessDevice(backend)
        let other = try KernellessDevice(backend, id: DeviceID(8))
        try other.save("film", [UInt8](repeating: 7, count: 300_000))
        _ = try await other.engine.uploads.uploadDue(.small)
        _ = try await other.engine.syncLogs()
        _ = try await device.engine.syncLogs()
    }

    private func want(_ name: String) throws {
        let item = try #require(try device.row(name))
        _ = try device.metadata.write { try $0.transfers.want(item, priority: 100) }
        device.engine.downloadsWanted()
    }

    /// Runs the engine until `body` returns.
    private func running(_ body: () async throws -> Void) async throws {
        let run = Task { [engine = device.engine] in await engine.run() }
        do { try await body() } catch {
            run.cancel()
            throw error
        }
        backend.gate.open()
        run.cancel()
        await run.value
    }

    @Test("a download under way ends without an error, nothing arrives after it, and it can be requested again")
    func underWay() async throws {
        backend.gate.hold(.getChunk)
        try want("film")
        try await running {
            await backend.gate.untilHeld(1)
            let item = try #require(try device.row("film"))
            let count = try await downloads.cancelAndWait(item)
            #expect(count == 1 && downloads.progress(of: item) == nil)
            try device.engine.evictor.evict(item.node)
            backend.gate.open()
            let row = try #require(try device.row("film"))
            #expect(row.wanted == 0 && row.presence == .none && row.downloadError == nil)
            try want("film")
            while try device.row("film")?.presence != .whole { await Task.yield() }
        }
    }

    @Test("a request that waits ends too, but not that of a pin, nor that of bytes that only this device will have")
    func waiting() async throws {
        try want("film")
        var item = try #require(try device.row("film"))
        #expect(try downloads.cancel(item, upTo: DownloadPriority.kept) == 0, "a person has asked for it")
        #expect(try downloads.cancel(item) == 1)
        #expect(try device.row("film")?.wanted == 0)
        try device.files.setPin(.keep, of: item.node)
        try want("film")
        #expect(try downloads.cancel(item) == 0)
        try device.files.setPin(.inherited, of: item.node)
        item = try #require(try device.row("film"))
        item.wanted = 255
        try device.metadata.write { try $0.local.update(item) }
        #expect(try downloads.cancel(item) == 0)
    }
}
