import Chunking
import CloudModel
import CloudStorage
import DeviceSupport
import LocalContent
import LocalMetadata
import TestSupport
import Testing

@testable import Sync

/// Bytes leave a device only after the cloud has confirmed, at the device's position, that it has all of their chunks.
@Suite("Contents that the cloud has")
struct StoredContentsTests {
    private let backend = InMemoryBackend()
    private let device: KernellessDevice

    init() throws { device = try KernellessDevice(backend, asksBeforeEvicting: true) }

    /// Saves a document and syncs it.
    private func uploaded(_ name: String, _ text: String) async throws -> NodeID {
        let node = try device.save(name, text)
        if try await backend.containers().isEmpty { try await backend.createContainer(.cloudDocs) }
        _ = try await device.engine.uploads.uploadDue(.small)
        _ = try await device.engine.syncLogs()
        #expect(try device.row(name)?.pendingSince == nil)
        return node
    }

    /// Evicts as the daemon does: on a thread that may wait for the cloud.
    private func evict(_ node: NodeID) async throws {
        try await device.context.blocking { [device] in try device.engine.evictor.evict(node) }
    }

    @Test("a document whose chunks the cloud has is evicted")
    func whole() async throws {
        let node = try await uploaded("a", "text")
        try await evict(node)
        #expect(try device.row("a")?.presence == LocalMetadata.Presence.none)
    }

    @Test("a document of which the cloud lost a chunk stays")
    func lost() async throws {
        let node = try await uploaded("a", "text")
        let content = try #require(try device.row("a")?.content)
        backend.replaceChunk(content.digest, in: .cloudDocs, with: nil)
        await #expect(throws: EvictionRefusal.isUnconfirmed) { try await evict(node) }
        #expect(try device.row("a")?.presence == .whole)
    }

    @Test("without the cloud nothing is evicted")
    func offline() async throws {
        let node = try await uploaded("a", "text")
        backend.gate.fail(.entries, with: CloudError(.offline, "no network"), times: 1)
        await #expect(throws: EvictionRefusal.isUnconfirmed) { try await evict(node) }
    }

    @Test(
        "an answer from a cloud that went back does not count, whether or not it has grown since",
        arguments: [false, true])
    func wentBack(hasGrown: Bool) async throws {
        _ = try await uploaded("first", "one")
        let copy = backend.copy()
        let node = try await uploaded("a", "text")
        // The chunk is still there: only the log went back.
        backend.putBack(copy)
        let bytes = Array("text".utf8)
        try await backend.putChunk(OutgoingChunk(id: .of(bytes), frame: ChunkFrame.encode(bytes)), in: .cloudDocs)
        if hasGrown { for number in UInt8(1)...9 { _ = try await backend.append([number], to: .cloudDocs) } }
        await #expect(throws: EvictionRefusal.isUnconfirmed) { try await evict(node) }
    }

    @Test("what was uploaded and not sent is uploaded again where the cloud was set back before the device connected")
    func uploadedBefore() async throws {
        _ = try await uploaded("first", "one")
        let copy = backend.copy()
        let node = try device.save("a", "text")
        _ = try await device.engine.uploads.uploadDue(.small)
        let content = try #require(try device.row("a")?.content)
        backend.putBack(copy)
        // A server and a directory notice that themselves; a bucket takes any entry.
        let restarted = try KernellessDevice(restarting: device)
        _ = try await restarted.engine.syncLogs()
        #expect(try restarted.row("a")?.pendingSince == nil)
        #expect(try await backend.missing([content.digest], in: .cloudDocs).isEmpty)
        try await restarted.context.blocking { try restarted.engine.evictor.evict(node) }
        #expect(try restarted.row("a")?.presence == LocalMetadata.Presence.none)
    }

    @Test("a document whose bytes are neither in the cloud nor on the device is named, and everything else is sent")
    func goneBytes() async throws {
        _ = try await uploaded("first", "one")
        try device.save("a", "text")
        _ = try await device.engine.uploads.uploadDue(.small)
        // As a restored document is: its bytes are expected in the cloud.
        var row = try #require(try device.row("a"))
        try device.content.remove(row.blob)
        row.presence = .none
        try device.metadata.write { [row] in try $0.local.update(row) }
        let content = try #require(row.content)
        backend.replaceChunk(content.digest, in: .cloudDocs, with: nil)
        let restarted = try KernellessDevice(restarting: device)
        try restarted.save("b", "other")
        for _ in 0..<3 {
            _ = try await restarted.engine.uploads.uploadDue(.small)
            _ = try await restarted.engine.syncLogs()
        }
        #expect(try restarted.row("b")?.pendingSince == nil)
        #expect(try restarted.row("a")?.uploadError?.contains("no longer has its bytes") == true)
        #expect(try await backend.entries(in: .cloudDocs, after: .start, limit: 10).count == 2)
        try restarted.remove("a")
        try restarted.save("a", "again")
        _ = try await restarted.engine.uploads.uploadDue(.small)
        _ = try await restarted.engine.syncLogs()
        #expect(try restarted.row("a")?.pendingSince == nil)
        #expect(try restarted.row("a")?.uploadError == nil)
    }

    @Test("many files are refused or evicted one by one")
    func many() async throws {
        _ = try await uploaded("a", "text")
        _ = try await uploaded("b", "other")
        let files = try ["a", "b"].map { try #require(try device.row($0)) }
        backend.replaceChunk(try #require(files[0].content).digest, in: .cloudDocs, with: nil)
        let errors = try await device.context.blocking { [device] in
            var errors: [EvictionRefusal?] = []
            device.engine.evictor.evict(files) { _, error in errors.append(error as? EvictionRefusal) }
            return errors
        }
        #expect(errors == [.isUnconfirmed, nil])
    }
}
