import Basics
import CloudModel
import CloudStorage
import DeviceSupport
import LocalMetadata
import TestSupport
import Testing
import VirtualFileSystem

@testable import Sync

@Suite("Changes that the cloud refuses")
struct WriteRefusalTests {
    private let backend: InMemoryBackend
    private let device: KernellessDevice
    private var engine: SyncEngine { device.engine }

    init() throws {
        backend = InMemoryBackend()
        device = try KernellessDevice(backend)
    }

    private func refuse(_ code: CloudError.Code) {
        backend.gate.fail(.append, with: CloudError(code, "It may not. Ask its owner."))
    }

    /// A remote document arrives in the log.
    private func writeElsewhere(_ name: String) async throws {
        let other = try KernellessDevice(backend, id: DeviceID(8))
        _ = try await other.engine.syncLogs()
        _ = try other.makeFolder(name)
        _ = try await other.engine.syncLogs()
    }

    @Test(
        "a device that may only read stays online, follows the log, and keeps its edit",
        arguments: [
            CloudError.Code.readOnly, .quota,
        ])
    func readsOn(code: CloudError.Code) async throws {
        _ = try await engine.syncLogs()
        try await writeElsewhere("theirs")
        refuse(code)
        _ = try device.makeFolder("mine")
        let didSend = try await engine.syncLogs()
        #expect(!didSend && engine.state == .online && engine.refusal?.code == code)
        #expect(try device.row("theirs") != nil, "the log is followed")
        #expect(try device.row("mine")?.pendingSince != nil)
    }

    @Test(
        "a refused change is sent again after a minute, not with every round, and immediately for a client that waits")
    func retries() async throws {
        _ = try await engine.syncLogs()
        refuse(.readOnly)
        _ = try device.makeFolder("mine")
        for _ in 0..<5 { _ = try await engine.syncLogs() }
        #expect(backend.gate.count(.append) == 1)
        device.time.advance(by: .seconds(60))
        _ = try await engine.syncLogs()
        #expect(backend.gate.count(.append) == 2)
        device.context.urgency.begin()
        _ = try await engine.syncLogs()
        #expect(backend.gate.count(.append) == 3)
    }

    @Test("an upload that is refused leaves the device online")
    func uploads() async throws {
        _ = try await engine.syncLogs()
        backend.gate.fail(.putChunk, with: CloudError(.quota, "It is full. Delete something."))
        try device.save("a", "text")
        let running = Task { [engine] in await engine.run() }
        while engine.refusal == nil { await Task.yield() }
        running.cancel()
        await running.value
        #expect(engine.state == .online && engine.refusal?.code == .quota)
    }

    @Test("a new document that was refused can be deleted without a trace, and an accepted change ends the refusal")
    func dropped() async throws {
        _ = try await engine.syncLogs()
        backend.gate.fail(.append, with: CloudError(.readOnly, "It may not."), times: 1)
        _ = try device.makeFolder("mine")
        _ = try await engine.syncLogs()
        #expect(try device.row("mine")?.isKnown == false)
        try device.files.removeFolder(Array("mine".utf8), in: device.documents)
        _ = try await engine.syncLogs()
        #expect(try device.metadata.read { try !$0.pending.hasAny() }, "the time of its folder is no edit")
        _ = try device.makeFolder("other")
        device.time.advance(by: .seconds(60))
        let didSend = try await engine.syncLogs()
        #expect(didSend && engine.refusal == nil)
    }
}
