import Basics
import Chunking
import CloudModel
import CloudStorage
import DeviceSupport
import Glibc
import LocalMetadata
import TestSupport
import Testing
import VirtualFileSystem

@Suite("Opens of programs that may not download everything")
struct OpenAllowanceTests {
    private let backend = InMemoryBackend()
    private let test: KernellessDevice

    init() throws { test = try KernellessDevice(backend, patience: .seconds(600)) }

    /// Creates a placeholder of that many bytes, a single chunk, with its bytes in the cloud.
    private func placeholder(_ size: Int) async throws -> NodeID {
        let bytes = [UInt8](repeating: 7, count: size)
        let content = ContentReference(digest: .of(bytes), size: UInt64(size), layout: .chunk)
        try await backend.putChunk(content.digest, frame: ChunkFrame.encode(bytes), in: .cloudDocs)
        return try test.metadata.write { transaction in
            let container = try #require(try transaction.container(named: .cloudDocs))
            var item = LocalItem(
                container: container.id, item: ItemID(high: 1 << 63, low: 1), parent: test.documents,
                name: try ItemName("a"), kind: .file,
                attributes: ItemAttributes(permissions: 0o644, modified: .zero, created: .zero), changed: .zero)
            (item.size, item.content, item.isKnown) = (content.size, content, true)
            return try transaction.local.insert(item)
        }
    }

    private func open(
        _ node: NodeID, canWrite: Bool = false, truncate: Bool = false, _ allowance: DownloadAllowance?
    ) throws -> OpenHandle {
        try test.files.open(node, canWrite: canWrite, truncate: truncate, permit: allowance.map { DownloadPermit($0) })
    }

    @Test(
        "a document that is here opens whatever the program may download, and without asking", arguments: [false, true])
    func resident(canWrite: Bool) throws {
        let node = try test.save("a", "text")
        for allowance in [nil] + DownloadAllowance.allCases {
            let handle = try open(node, canWrite: canWrite, allowance)
            #expect(try test.text(of: handle) == "text")
            test.files.release(handle)
        }
    }

    @Test("an open of a placeholder asks what the program may download, and refuses with EAGAIN; nothing is left open")
    func refused() async throws {
        let node = try await placeholder(100)
        #expect(throws: AllowanceNeeded.self) { try open(node, nil) }
        #expect(throws: Errno(EAGAIN)) { try open(node, .deny) }
        #expect(throws: Errno(EAGAIN)) { try open(node, canWrite: true, .deny) }
        #expect(throws: Errno(EAGAIN)) { try open(node, canWrite: true, .head) }
        #expect(!test.files.isOpen(node))
    }

    @Test("the same holds while another program has the placeholder open, until its download is complete")
    func shared() async throws {
        let node = try await placeholder(100)
        let reader = try open(node, .full)
        #expect(throws: AllowanceNeeded.self) { try open(node, nil) }
        #expect(throws: Errno(EAGAIN)) { try open(node, .deny) }
        try await test.files.wait(for: 0..<100, in: reader)
        let second = try open(node, .deny)
        #expect(try test.files.isReady(0..<100, in: second))
        test.files.release(second)
        test.files.release(reader)
    }

    @Test("truncating a placeholder to nothing needs no bytes, so every program may")
    func truncated() async throws {
        let node = try await placeholder(100)
        let handle = try open(node, canWrite: true, truncate: true, .deny)
        #expect(handle.file.isWhole)
        test.files.release(handle)
    }

    @Test("a program that may have the head gets it; a read that begins later is EAGAIN unless the bytes are here")
    func head() async throws {
        let size = 600 << 10
        let node = try await placeholder(size)
        let head = try open(node, .head)
        let later = DownloadAllowance.headSize..<DownloadAllowance.headSize + 10
        await #expect(throws: Errno(EAGAIN)) { try await test.files.wait(for: later, in: head) }
        // The content is a single chunk, so its head brings all of it.
        try await test.files.wait(for: 0..<10, in: head)
        #expect(try test.files.isReady(later, in: head))
        test.files.release(head)
    }

    @Test(
        "of a watched program it is noted how far it read of a placeholder; of writers, others and documents that are here, nothing"
    )
    func reading() async throws {
        let watched = DownloadPermit(.full, program: "rg", isWatched: true)
        let node = try await placeholder(600 << 10)
        let handle = try test.files.open(node, canWrite: false, truncate: false, permit: watched)
        handle.noteRead(4_096..<8_192)
        handle.noteRead(0..<4_096)
        #expect(handle.reading == DownloadBreaker.Reading(node, size: 600 << 10, end: 8_192))
        let writer = try test.files.open(node, canWrite: true, truncate: false, permit: watched)
        #expect(writer.reading == nil)
        test.files.release(writer)
        let other = try open(node, .full)
        other.noteRead(0..<10)
        #expect(other.reading == nil)
        test.files.release(other)
        test.files.release(handle)
        let near = try test.save("b", "text")
        let resident = try test.files.open(near, canWrite: false, truncate: false, permit: watched)
        resident.noteRead(0..<1)
        #expect(resident.reading == nil)
        test.files.release(resident)
    }
}
