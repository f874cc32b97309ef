import Basics
import CloudModel
import DeviceSupport
import Glibc
import LocalContent
import LocalMetadata
import TestSupport
import Testing

@testable import Sync

/// A backup program may copy the database of a working device, and its documents earlier or later.
@Suite("Bytes that do not match their rows")
struct MismatchedBytesTests {
    private let backend = InMemoryBackend()
    private let device: KernellessDevice

    init() throws { device = try KernellessDevice(backend) }

    private func uploaded(_ name: String, _ text: String) async throws -> LocalItem {
        try device.save(name, text)
        if try await backend.containers().isEmpty { try await backend.createContainer(.cloudDocs) }
        _ = try await device.engine.uploads.uploadDue(.small)
        _ = try await device.engine.syncLogs()
        return try #require(try device.row(name))
    }

    private func replace(_ item: LocalItem, by text: String, modified: Timestamp) throws {
        let descriptor = try device.content.open(item.blob)
        defer { close(descriptor) }
        try check("ftruncate") { ftruncate(descriptor, 0) }
        try check("pwrite") { pwrite(descriptor, text, text.utf8.count, 0) }
        try setModified(modified, descriptor: descriptor)
    }

    private func separate(isInUse: Bool = false) throws {
        try MismatchedBytes(device.context).separate { _ in isInUse }
    }

    @Test("later or earlier bytes become a document beside the one that they were found in", arguments: [-5, 5])
    func differing(seconds: Int64) async throws {
        let item = try await uploaded("a.txt", "text")
        try replace(item, by: "another", modified: item.attributes.modified.adding(.seconds(seconds)))
        try separate()
        let row = try #require(try device.row("a.txt"))
        #expect(row.presence == LocalMetadata.Presence.none)
        #expect((row.content, row.isEdited) == (item.content, false))
        #expect(try device.text("a 2.txt") == "another")
        #expect(try device.row("a 2.txt")?.isEdited == true)
        _ = try await device.engine.uploads.uploadDue(.small)
        _ = try await device.engine.syncLogs()
        #expect(try device.row("a 2.txt")?.pendingSince == nil, "it is sent like any document")
    }

    @Test("a document whose bytes are gone from its file is downloaded again, without another one beside it")
    func emptied() async throws {
        let item = try await uploaded("a.txt", "text")
        try replace(item, by: "", modified: item.attributes.modified)
        try separate()
        #expect(try device.row("a.txt")?.presence == LocalMetadata.Presence.none)
        #expect(try device.names() == ["a.txt"])
    }

    @Test("the same bytes with another time stay, and are not read again at the next start")
    func touched() async throws {
        let item = try await uploaded("a.txt", "text")
        try replace(item, by: "text", modified: item.attributes.modified.adding(.seconds(9)))
        try separate()
        #expect(try device.names() == ["a.txt"])
        #expect(try device.row("a.txt")?.presence == .whole)
        #expect(try device.content.isTime(item.attributes.modified, of: device.content.status(item.blob)))
    }

    @Test("a document that was emptied after its bytes were copied is sent as an empty one")
    func emptiedWithoutBytes() async throws {
        let item = try await uploaded("a.txt", "text")
        try device.edit("a.txt", "")
        let row = try #require(try device.row("a.txt"))
        #expect(row.isEdited && row.size == 0)
        try device.content.remove(row.blob)
        try Recovery(metadata: device.metadata, content: device.content, time: device.time, log: device.context.log)
            .run()
        _ = try await device.engine.uploads.uploadDue(.small)
        _ = try await device.engine.syncLogs()
        let sent = try #require(try device.row("a.txt"))
        #expect(sent.pendingSince == nil && !sent.isEdited && sent.size == 0 && sent.item == item.item)
    }

    @Test("a file in use is left alone")
    func inUse() async throws {
        let item = try await uploaded("a.txt", "text")
        try replace(item, by: "another", modified: item.attributes.modified)
        try separate(isInUse: true)
        #expect(try device.names() == ["a.txt"])
    }
}
