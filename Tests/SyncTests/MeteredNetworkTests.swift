import CloudModel
import DeviceSupport
import LocalMetadata
import TestSupport
import Testing
import Transfers

@testable import Sync

@Suite("Transfers on a metered network", .timeLimit(.minutes(10)))
struct MeteredNetworkTests {
    private let backend: InMemoryBackend
    private let device: KernellessDevice
    private var uploads: UploadService { device.engine.uploads }

    init() throws {
        backend = InMemoryBackend()
        device = try KernellessDevice(backend)
    }

    private func report(_ isMetered: Bool) { device.engine.reportMetered(isMetered, by: 1) }

    @Test("an upload under way is interrupted without an error, waits, and is done when the network is not metered")
    func upload() async throws {
        try device.save("a", "text")
        backend.gate.hold(.putChunk)
        let round = Task { [uploads] in try await uploads.uploadDue(.small) }
        await backend.gate.untilHeld(1)
        report(true)
        let isInterrupted = try await !round.value
        backend.gate.open()
        let row = try #require(try device.row("a"))
        #expect(isInterrupted && row.isEdited && row.uploadError == nil && uploads.all.isEmpty)
        let isBegun = try await uploads.uploadDue(.small)
        #expect(!isBegun && backend.gate.count(.putChunk) == 1)
        report(false)
        let isDone = try await uploads.uploadDue(.small)
        #expect(try isDone && device.row("a")?.isEdited == false)
    }

    @Test("a client that waits for everything to be in the cloud does not wait for another network")
    func urgent() async throws {
        try device.save("a", "text")
        report(true)
        device.context.urgency.begin()
        let isDone = try await uploads.uploadDue(.small)
        #expect(try isDone && device.row("a")?.isEdited == false)
        device.context.urgency.end()
        try device.save("b", "more")
        let isBegun = try await uploads.uploadDue(.small)
        #expect(!isBegun)
    }

    /// Remote documents in the cloud only, with these download priorities.
    private func placeholders(_ wanted: [String: UInt8]) async throws {
        for name in wanted.keys.sorted() { try device.save("here \(name)", "text of \(name)") }
        _ = try await uploads.uploadDue(.small)
        for (number, name) in wanted.keys.sorted().enumerated() {
            try device.fold(try .file(UInt64(100 + number), name, "text of \(name)"))
        }
        try LogFollower(device.context).followUnsettled(in: device.container)
        for (name, priority) in wanted {
            try device.metadata.write { transaction in
                var row = try #require(try device.row(name))
                row.wanted = priority
                try transaction.local.update(row)
            }
        }
    }

    private func download() async throws {
        let room = device.engine.room
        try await DownloadQueue(device.context, device.engine.downloads, room).run()
    }

    @Test("what is kept waits, and what was requested or is opened by a program comes; then the rest comes")
    func downloads() async throws {
        try await placeholders(["kept": DownloadPriority.kept, "requested": 100])
        report(true)
        try await download()
        #expect(try device.row("requested")?.presence == .whole)
        let kept = try #require(try device.row("kept"))
        #expect(kept.presence == .none && kept.wanted == DownloadPriority.kept && kept.downloadError == nil)
        let opened = try device.engine.downloads.open(kept, for: "cat").download
        try await opened.ensure(0..<kept.size, patience: nil)
        device.engine.downloads.close(kept)
        report(false)
        try await download()
        #expect(try device.row("kept")?.presence == .whole)
    }

    @Test(
        "a download under way without a person who waits for it is interrupted without an error, and another one goes on"
    )
    func underWay() async throws {
        try await placeholders(["kept": DownloadPriority.kept, "requested": 100])
        backend.gate.hold(.getChunk)
        let round = Task { try await download() }
        await backend.gate.untilHeld(2)
        report(true)
        backend.gate.open()
        try await round.value
        #expect(try device.row("requested")?.presence == .whole)
        let kept = try #require(try device.row("kept"))
        #expect(kept.wanted == DownloadPriority.kept && kept.downloadError == nil)
        report(false)
        try await download()
        #expect(try device.row("kept")?.presence == .whole)
    }

    @Test("nothing is fetched ahead of a reader; its next read requests it again when the network is not metered")
    func rest() async throws {
        try await placeholders(["a": 0])
        let row = try #require(try device.row("a"))
        let downloads = device.engine.downloads
        _ = try downloads.open(row, for: "cat")
        defer { downloads.close(row) }
        backend.gate.hold(.getChunk)
        report(true)
        downloads.completeInBackground(row)
        report(false)
        downloads.completeInBackground(row)
        await backend.gate.untilHeld(1)
        #expect(backend.gate.count(.getChunk) == 1)
        report(true)
        report(false)
        // Until the interrupted download has ended there is nothing to request.
        while backend.gate.count(.getChunk) < 2 {
            downloads.completeInBackground(row)
            await Task.yield()
        }
        backend.gate.open()
    }

    @Test("a transfer that is cancelled by its caller throws, whatever the network is")
    func cancelled() async throws {
        let network = MeteredNetwork()
        let clock = ManualClock()
        let task = Task { try await network.perform(.rest) { try await clock.sleep(for: .seconds(60)) } }
        await clock.untilSleeping(before: .seconds(61))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
