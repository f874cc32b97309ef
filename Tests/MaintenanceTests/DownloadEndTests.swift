import Basics
import CloudModel
import DeviceSupport
import LocalContent
import LocalMetadata
import Sync
import Synchronization
import TestSupport
import Testing
import Transfers
import VirtualFileSystem

@Suite("Edits right after a download")
struct DownloadEndTests {
    private let bytes = [UInt8](repeating: 7, count: 5000)

    /// A content source that records the end of a download as the engine does, but only on a call of `finishDownload`.
    private final class LateSource: ContentSource {
        private let idle: IdleContentSource
        private let metadata: MetadataDatabase
        private let file = Mutex<SharedDescriptor?>(nil)

        init(_ test: KernellessDevice) {
            idle = IdleContentSource(test.content, container: .cloudDocs, transfers: test.context.transfers)
            metadata = test.metadata
        }

        func openIncomplete(_ item: LocalItem, for program: String?) throws -> (
            bytes: SharedDescriptor, download: ContentDownload
        ) {
            let opened = try idle.openIncomplete(item, for: program)
            file.withLock { $0 = opened.bytes }
            return opened
        }

        func finishDownload(of item: LocalItem) async throws {
            guard let file = file.withLock({ $0 }), let reference = item.content else { return }
            try LocalContent.setModified(item.attributes.modified, descriptor: file.raw)
            _ = try metadata.write { try $0.noteWhole(item, holding: reference, at: SystemTime().now()) }
        }

        var patience: Duration { .seconds(60) }
        var cloudSpace: (total: UInt64, free: UInt64)? { nil }
        func closeIncomplete(_ item: LocalItem) {}
        func completeInBackground(_ item: LocalItem) {}
        func localTreeChanged() {}
        func progress(of item: LocalItem) -> TransferFractions { TransferFractions() }
        func request(_ command: ContentCommand, for item: LocalItem) throws {}
    }

    @Test(
        "a file that was read completely cannot be written before its row says that it is local",
        .timeLimit(.minutes(10)))
    func waitsForTheRow() async throws {
        let (test, files, item) = try await placeholder()
        let reader = try files.open(item.node, canWrite: false, truncate: false)
        let writer = try files.open(item.node, canWrite: true, truncate: false)
        try await files.wait(for: 0..<item.size, in: reader)
        #expect(try !files.isWritable(writer))
        try await files.waitUntilWhole(writer)
        #expect(try files.isWritable(writer))
        #expect(try test.row("f")?.presence == .whole)
        files.release(reader)
        files.release(writer)
        #expect(try test.row("f")?.isEdited == false)
    }

    @Test("an edit of the same size that follows at once is uploaded", .timeLimit(.minutes(10)))
    func editIsNoted() async throws {
        let (test, files, item) = try await placeholder()
        let handle = try files.open(item.node, canWrite: true, truncate: false)
        try await files.wait(for: 0..<item.size, in: handle)
        let newer = [UInt8](repeating: 9, count: bytes.count)
        _ = try newer.withUnsafeBytes { try files.write($0, at: 0, in: handle) }
        files.release(handle)
        try await expectEdit(of: test.row("f"), size: UInt64(bytes.count))
    }

    @Test(
        "a truncation right after a download is uploaded while a reader still has the file open",
        .timeLimit(.minutes(10)))
    func truncationIsNoted() async throws {
        let (test, files, item) = try await placeholder()
        let reader = try files.open(item.node, canWrite: false, truncate: false)
        try await files.wait(for: 0..<item.size, in: reader)
        #expect(try files.needsContent(toTruncate: item.node, to: 10))
        let handle = try files.open(item.node, canWrite: true, truncate: false)
        try await files.waitUntilWhole(handle)
        var change = AttributeRequest()
        change.size = 10
        #expect(try files.setAttributes(of: item.node, change).size == 10)
        files.release(handle)
        files.release(reader)
        try await expectEdit(of: test.row("f"), size: 10)
    }

    private func expectEdit(of item: LocalItem?, size: UInt64) async throws {
        let item = try #require(item)
        #expect(item.isEdited && !item.isWriting && item.pendingSince != nil)
        #expect(item.presence == .whole && item.size == size)
    }

    /// Creates a device with a file whose bytes are only in the cloud.
    private func placeholder() async throws -> (KernellessDevice, VirtualFileSystem, LocalItem) {
        let test = try KernellessDevice(time: SystemTime())
        try await test.backend.createContainer(.cloudDocs)
        try test.save("f", bytes)
        let saved = try #require(try test.row("f"))
        let file = SharedDescriptor(adopting: try test.content.open(saved.blob))
        let upload = try await ContentUploader(test.context.transfers).upload(
            file, size: saved.size, to: .cloudDocs)
        var item = saved
        item.content = upload.reference
        item.presence = .none
        item.isEdited = false
        item.pendingSince = nil
        item.generation += 1
        try test.metadata.write { [item] in try $0.local.update(item) }
        let files = VirtualFileSystem(
            metadata: test.metadata, content: test.content, source: LateSource(test), time: SystemTime(),
            owner: (1000, 1000), device: { test.context.device }, log: test.context.log)
        return (test, files, item)
    }
}
