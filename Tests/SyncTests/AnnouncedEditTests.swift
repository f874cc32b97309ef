import CloudModel
import ContainerLog
import DeviceSupport
import LocalMetadata
import TestSupport
import Testing
import VirtualFileSystem

@testable import Sync

@Suite("Edits announced before their bytes are in the cloud")
struct AnnouncedEditTests {
    private let here: KernellessDevice
    private let other: KernellessDevice

    init() throws {
        here = try KernellessDevice(InMemoryBackend())
        other = try KernellessDevice(here.backend, id: DeviceID(8), announcedSize: 4)
    }

    /// Saves a document on this device, and edits it on the other.
    private func editElsewhere(_ text: String) async throws {
        if try here.row("a") == nil { try here.save("a", "one") }
        _ = try await here.engine.uploads.uploadDue(.small)
        _ = try await here.engine.syncLogs()
        _ = try await other.engine.syncLogs()
        try other.edit("a", text)
        try await exchange()
    }

    private func exchange() async throws {
        for device in [other, here, other] { _ = try await device.engine.syncLogs() }
    }

    private func downloading(_ device: KernellessDevice) throws -> DocumentState.Downloading {
        try device.files.status(of: try #require(try device.row("a"))).state.downloading
    }

    private func entryCount() async throws -> Int {
        try await here.backend.entries(in: .cloudDocs, after: .start, limit: 1_000).count
    }

    private var announced: [UInt8]? {
        get throws {
            let item = try #require(try here.row("a"))
            return try here.remote(item.item)?.attributes.extended[ReservedAttribute.announcedEdit]
        }
    }

    @Test("a large edit is known elsewhere before its bytes, and its announcement goes with them")
    func announces() async throws {
        try await editElsewhere("edited")
        #expect(try downloading(here) == .downloaded && here.text("a") == "one")
        #expect(try downloading(other) == .current, "its own edit is the newest version")
        let entries = try await entryCount()
        try await exchange()
        #expect(try await entryCount() == entries, "once is enough")
        try other.edit("a", "edited again")
        try await exchange()
        #expect(try await entryCount() == entries)
        _ = try await other.engine.uploads.uploadDue(.small)
        try await exchange()
        #expect(try announced == nil)
        let row = try #require(try here.row("a"))
        #expect(try here.remote(row.item)?.body.content?.size == 12)
    }

    @Test("a small edit is not announced")
    func small() async throws {
        try await editElsewhere("two")
        #expect(try downloading(here) == .current && announced == nil)
    }

    @Test("a discarded edit withdraws its announcement")
    func discarded() async throws {
        try await editElsewhere("edited")
        let item = try #require(try other.row("a"))
        try await PausedSync(other.context).dropEdits(of: item)
        try await exchange()
        #expect(try downloading(here) == .current && announced == nil)
        #expect(try other.unrest.isEmpty && here.unrest.isEmpty)
    }

    @Test("an edit from here voids the announcement of an edit from elsewhere")
    func crossing() async throws {
        try await editElsewhere("edited")
        try here.edit("a", "mine")
        #expect(try downloading(here) == .current)
        _ = try await here.engine.uploads.uploadDue(.small)
        try await exchange()
        #expect(try downloading(here) == .current && announced == nil)
    }

    @Test("an item without room for the announcement is not announced again and again")
    func withoutRoom() async throws {
        try here.save("a", "one")
        let row = try #require(try here.row("a"))
        let count = ItemAttributes.maximumExtendedBytes - "user.large".utf8.count - 40
        try here.files.setExtendedAttribute(
            "user.large", to: [UInt8](repeating: 1, count: count), of: row.node, mode: .any)
        try await editElsewhere("edited")
        #expect(try downloading(here) == .current && announced == nil)
        let entries = try await entryCount()
        try await exchange()
        #expect(try await entryCount() == entries)
    }
}
