import Basics
import Chunking
import CloudModel
import CloudStorage
import DeviceSupport
import LocalMetadata
import TestSupport
import Testing
import VirtualFileSystem

@Suite("Looks at documents whose first bytes are here")
struct OpenLookTests {
    private let backend = InMemoryBackend()
    private let test: KernellessDevice
    private let bytes = [UInt8]("first".utf8) + [UInt8](repeating: 7, count: 20_000)

    init() throws { test = try KernellessDevice(backend, patience: .seconds(600)) }

    /// Creates a placeholder with a head of five bytes, that of `content`, or of its own content.
    private func placeholder(head content: Digest? = nil) async throws -> NodeID {
        let reference = ContentReference(digest: .of(bytes), size: UInt64(bytes.count), layout: .chunk)
        try await backend.putChunk(reference.digest, frame: ChunkFrame.encode(bytes), in: .cloudDocs)
        return try test.metadata.write { transaction in
            let container = try #require(try transaction.container(named: .cloudDocs))
            var item = LocalItem(
                container: container.id, item: ItemID(high: 1 << 63, low: 1), parent: test.documents,
                name: try ItemName("note"), kind: .file,
                attributes: ItemAttributes(permissions: 0o644, modified: .zero, created: .zero), changed: .zero)
            (item.size, item.content, item.isKnown) = (reference.size, reference, true)
            item.head = ContentHead(of: content ?? reference.digest, bytes: Array(bytes.prefix(5)))
            return try transaction.local.insert(item)
        }
    }

    private func look(
        _ node: NodeID, _ allowance: DownloadAllowance = .full, _ style: LookStyle = .short
    ) throws -> OpenHandle {
        try test.files.open(
            node, canWrite: false, truncate: false,
            permit: DownloadPermit(allowance, program: "files", looks: style), keepsAccessTime: true)
    }

    @Test("the read of a look returns the head, and no other read does")
    func head() async throws {
        let node = try await placeholder()
        let handle = try look(node)
        #expect(handle.hasShortReads)
        #expect(handle.look(at: 0..<4096) == Array("first".utf8))
        for other: Range<UInt64> in [0..<3, 0..<4097, 1..<100, 5..<4096, 5..<4101] {
            #expect(handle.look(at: other) == nil, "\(other)")
        }
        #expect(try !test.files.isReady(0..<4096, in: handle))
        // A program that continues to read gets the bytes as usual.
        try await test.files.wait(for: 5..<4101, in: handle)
        #expect(try test.files.isReady(0..<4096, in: handle))
        test.files.release(handle)
    }

    @Test("an open that is no look, and one of a document whose head is that of another content, have no short reads")
    func others() async throws {
        let node = try await placeholder(head: Digest(words: (1, 2, 3, 4)))
        let stale = try look(node)
        #expect(!stale.hasShortReads && stale.look(at: 0..<4096) == nil)
        test.files.release(stale)
        let saved = try test.save("b", "text")
        let resident = try look(saved)
        #expect(!resident.hasShortReads)
        test.files.release(resident)
    }

    @Test("a plain open has no short reads, and neither has O_NOATIME of a program that expects all bytes, such as tar")
    func plain() async throws {
        let node = try await placeholder()
        let short = DownloadPermit(.full, program: "files", looks: .short)
        let plain = try test.files.open(node, canWrite: false, truncate: false, permit: short)
        let writer = try test.files.open(node, canWrite: true, truncate: false, permit: short, keepsAccessTime: true)
        for handle in [plain, writer, try look(node, .full, .unknown)] {
            #expect(!handle.hasShortReads && handle.look(at: 0..<4096) == nil)
            test.files.release(handle)
        }
    }

    @Test("a file manager that reads much to find out types gets eight documents in a minute, and may write any")
    func sparing() async throws {
        let node = try await placeholder()
        var nodes = [node]
        for number in 2...10 {
            nodes.append(
                try test.metadata.write { transaction in
                    var item = try #require(try transaction.local.item(node))
                    item.item = ItemID(high: 1 << 63, low: UInt64(number))
                    item.name = try ItemName("note \(number)")
                    return try transaction.local.insert(item)
                })
        }
        for node in nodes.prefix(8) + nodes.prefix(1) { test.files.release(try look(node, .full, .long)) }
        #expect(throws: Errno.self) { try look(nodes[8], .full, .long) }
        test.files.release(try look(nodes[8], .full, .unknown))
        let long = DownloadPermit(.full, program: "files", looks: .long)
        test.files.release(try test.files.open(nodes[9], canWrite: true, truncate: false, permit: long))
    }

    @Test("a program that may not download anything is refused, as without a head")
    func denied() async throws {
        let node = try await placeholder()
        #expect(throws: Errno.self) { try look(node, .deny) }
    }
}
