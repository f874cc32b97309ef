import Basics
import Chunking
import CloudModel
import CloudStorage
import ContainerLog
import DeviceSupport
import LocalContent
import LocalMetadata
import TestSupport
import Testing
import Transfers

@testable import Sync

@Suite("Keys of chunks that no collection may remove")
struct CollectionKeyTests {
    private let text = "a text"
    private var chunk: ChunkID { .of(Array(text.utf8)) }

    /// A device whose cloud has the text's chunk under epoch 0, and a container with a proposed collection of it.
    private func device(list isThere: Bool = true) async throws -> KernellessDevice {
        let test = try KernellessDevice()
        try await test.backend.createContainer(.cloudDocs)
        try await put(Array(text.utf8), test, epoch: 0)
        let list = try #require(CollectionList([ChunkKey(chunk)])).encoded()
        if isThere { try await put(list, test, epoch: 1) }
        let reference = Manifest([ChunkEntry(id: .of(list), length: list.count)]).reference
        try test.fold(.collection(.proposed(epoch: 1, list: reference)))
        return test
    }

    private func put(_ bytes: [UInt8], _ test: KernellessDevice, epoch: UInt64) async throws {
        let chunk = OutgoingChunk(id: .of(bytes), frame: ChunkFrame.encode(bytes))
        try await test.backend.putChunk(chunk, epoch: epoch, in: .cloudDocs)
    }

    private func epochs(_ test: KernellessDevice) async throws -> [UInt64] {
        let keys = try await test.backend.storedChunks(in: .cloudDocs, after: nil, limit: 100).map(\.key)
        return keys.filter { $0.id == chunk }.map(\.epoch)
    }

    @Test("A chunk whose key is listed is missing, and is put under the epoch of the proposal")
    func listed() async throws {
        let test = try await device()
        let missing = try await test.context.transfers.missing([chunk], in: .cloudDocs)
        #expect(missing == [chunk])
        let frame = ChunkFrame.encode(Array(text.utf8))
        try await test.context.transfers.put([OutgoingChunk(id: chunk, frame: frame)], in: .cloudDocs)
        let stored = try await epochs(test)
        #expect(stored == [0, 1])
        let rest = try await test.context.transfers.missing([chunk], in: .cloudDocs)
        #expect(rest.isEmpty)
    }

    @Test("A chunk whose key is not listed is not put again")
    func unlisted() async throws {
        let test = try await device()
        try await put([1, 2, 3], test, epoch: 0)
        let missing = try await test.context.transfers.missing([.of([1, 2, 3])], in: .cloudDocs)
        #expect(missing.isEmpty)
    }

    @Test("A list that cannot be read counts as if it had every earlier key")
    func unreadable() async throws {
        let test = try await device(list: false)
        try await put([1, 2, 3], test, epoch: 0)
        let missing = try await test.context.transfers.missing([.of([1, 2, 3])], in: .cloudDocs)
        #expect(missing == [.of([1, 2, 3])])
    }

    @Test("A batch names the newest proposed collection")
    func batch() async throws {
        let test = try await device()
        try test.save("f", text)
        try test.finishUploads()
        let batch = try test.nextBatch()
        #expect(batch?.collection == 1)
    }

    @Test(
        "A batch that is refused for a collection is made again under a new number, with the collection that refused it"
    )
    func refused() async throws {
        let test = try KernellessDevice()
        try test.save("f", text)
        try test.finishUploads()
        let late = try #require(try test.nextBatch())
        #expect(late.collection == 0)
        let list = ContentReference(digest: chunk, size: 6, layout: .chunk)
        try test.fold(.collection(.proposed(epoch: 1, list: list)), .collection(.begun(epoch: 1)))
        try test.fold(late)
        let next = try #require(try test.nextBatch())
        #expect(next.deviceSequence == late.deviceSequence + 1)
        #expect(next.collection == 1)
        #expect(!next.contents.isEmpty)
        try test.fold(next)
        let id = try test.container.id
        let item = try #require(try test.row("f"))
        let inLog = try test.metadata.read { try $0.remote(in: id).item(item.item) }
        #expect(inLog?.body.content?.reference?.digest == chunk)
    }

    @Test(
        "Before an append, contents whose keys are listed are copied to keys that stay, though only the cloud has them")
    func gate() async throws {
        let test = try await device()
        let reference = Manifest([ChunkEntry(id: chunk, length: text.utf8.count)]).reference
        var batch = try test.batch(of: [.edit(.documents, base: nil, content: .stored(reference), modified: .zero)])
        batch.collection = 1
        try await ContentGate(context: test.context).verify(try batch.encoded(), in: test.container)
        let stored = try await epochs(test)
        #expect(stored == [0, 1])
    }

    @Test("A batch with bytes that are nowhere any more is not appended, and its error names the document")
    func nowhere() async throws {
        let test = try await device()
        try test.save("lost.txt", "elsewhere")
        try test.finishUploads()
        let batch = try #require(try test.nextBatch())
        let item = try #require(try test.row("lost.txt"))
        try test.content.remove(item.blob)
        let payload = try batch.encoded()
        let container = try test.container
        let error = await #expect(throws: CloudError.self) {
            try await ContentGate(context: test.context).verify(payload, in: container)
        }
        #expect(error?.message.contains("lost.txt") == true)
        let waiting = try test.metadata.read { try $0.pending.batch(of: container.id) }
        #expect(waiting == nil)
    }
}
