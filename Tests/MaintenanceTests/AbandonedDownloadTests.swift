import Basics
import CloudModel
import CloudStorage
import DeviceSupport
import LocalContent
import LocalMetadata
import Sync
import TestSupport
import Testing
import Transfers

@Suite("Cancelled downloads")
struct AbandonedDownloadTests {
    @Test(
        "a download whose readers have gone keeps no file open, whether it waited for bytes or had some",
        .timeLimit(.minutes(10)))
    func descriptors() async throws {
        let test = try KernellessDevice(time: SystemTime())
        let item = try await placeholder(test)
        let downloads = test.engine.downloads
        for hasBytes in [false, true] {
            let gate = test.backend.gate
            gate.hold { $0.operation == .getChunk && (!hasBytes || $0.chunk != item.content?.digest) }
            weak var file: SharedDescriptor?
            do {
                let opened = try downloads.open(item, for: nil)
                file = opened.file
                let waiting = Task { try await opened.download.ensure(0..<1, patience: nil) }
                await gate.untilHeld(1)
                waiting.cancel()
                _ = await waiting.result
            }
            #expect(file != nil)
            downloads.close(item)
            try await eventually("the file is closed") { file == nil }
            gate.open()
        }
    }

    /// Creates a file of several chunks with bytes only in the cloud.
    private func placeholder(_ test: KernellessDevice) async throws -> LocalItem {
        var random = SeededGenerator(seed: 7)
        let bytes = (0..<3 << 20).map { _ in UInt8.random(in: 0...255, using: &random) }
        try await test.backend.createContainer(.cloudDocs)
        try test.save("f", bytes)
        var item = try #require(try test.row("f"))
        let file = SharedDescriptor(adopting: try test.content.open(item.blob))
        item.content = try await ContentUploader(test.context.transfers).upload(
            file, size: item.size, to: .cloudDocs
        ).reference
        (item.presence, item.isEdited, item.pendingSince) = (.none, false, nil)
        item.generation += 1
        try test.metadata.write { [item] in try $0.local.update(item) }
        return item
    }
}
