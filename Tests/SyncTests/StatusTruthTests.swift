import CloudModel
import DeviceSupport
import LocalMetadata
import TestSupport
import Testing
import VirtualFileSystem

@testable import Sync

@Suite("What the status of a document says while something is under way")
struct StatusTruthTests {
    private let device: KernellessDevice

    init() throws { device = try KernellessDevice(InMemoryBackend()) }

    private func status(_ name: String) throws -> DocumentState {
        try device.files.status(of: try #require(try device.row(name))).state
    }

    @Test("an edit whose bytes are in the cloud, and which the log does not have yet, is the newest version")
    func uploadedEdit() async throws {
        try device.save("a", "one")
        _ = try await device.engine.uploads.uploadDue(.small)
        _ = try await device.engine.syncLogs()
        #expect(try status("a").isUploaded)
        try device.edit("a", "two")
        #expect(try status("a").downloading == .current)
        _ = try await device.engine.uploads.uploadDue(.small)
        let state = try status("a")
        #expect(state.downloading == .current && !state.isUploaded)
        _ = try await device.engine.syncLogs()
        #expect(try status("a").downloading == .current)
    }

    @Test("a document is current once all its bytes can be read, before its row says so")
    func arrived() throws {
        try device.save("a", "text")
        var row = try #require(try device.row("a"))
        (row.presence, row.isEdited, row.content) = (.none, false, .of("text"))
        func state(_ fraction: Double?) -> DocumentState {
            DocumentState(
                of: row, newest: row.content, hasConflicts: false, progress: TransferFractions(downloading: fraction))
        }
        #expect(state(nil).downloading == .notDownloaded && !state(nil).isDownloading)
        #expect(state(0.99).downloading == .notDownloaded && state(0.99).isDownloading)
        #expect(state(1).downloading == .current && !state(1).isDownloading && state(1).percentDownloaded == 100)
    }
}
