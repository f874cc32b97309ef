import Basics
import Chunking
import CloudModel
import CloudStorage
import ContainerLog
import Cryptography
import Maintenance
import TestSupport
import Testing

@Suite("Copying a cloud into another", .timeLimit(.minutes(10)))
struct CloudCopyTests {
    private let source = InMemoryBackend(identity: "source")
    private let target = InMemoryBackend(identity: "target")
    private let notes: ContainerName

    init() async throws {
        notes = try #require(ContainerName("com.example.notes"))
        for name in [ContainerName.cloudDocs, notes] { try await source.createContainer(name) }
    }

    /// Puts a document with these bytes into the source; without `bytes`, an entry that creates a folder.
    @discardableResult
    private func add(_ number: UInt64, _ bytes: [UInt8]?, to container: ContainerName) async throws -> ChunkID? {
        var body = ItemBody.folder
        if let bytes {
            try await source.putChunk(Digest.of(bytes), frame: ChunkFrame.encode(bytes), in: container)
            body = .file(
                .stored(ContentReference(digest: Digest.of(bytes), size: UInt64(bytes.count), layout: .chunk)))
        }
        let change = Change.create(
            ItemID(high: 7, low: number), parent: .documents, name: try ItemName("f\(number)"),
            attributes: ItemAttributes(permissions: 0o644, modified: .zero, created: .zero), body: body)
        let batch = ChangeBatch(
            device: DeviceID(1), deviceName: "desk", deviceSequence: number, time: .zero, changes: [change])
        _ = try await source.append(try batch.encoded(), to: container)
        return bytes.map { Digest.of($0) }
    }

    /// Puts a document of several chunks into the source.
    private func addLarge(_ number: UInt64, _ parts: [[UInt8]], to container: ContainerName) async throws -> Manifest {
        let manifest = Manifest(parts.map { ChunkEntry(id: Digest.of($0), length: $0.count) })
        for part in parts {
            try await source.putChunk(Digest.of(part), frame: ChunkFrame.encode(part), in: container)
        }
        let list = manifest.encoded()
        try await source.putChunk(Digest.of(list), kind: .manifest, frame: ChunkFrame.encode(list), in: container)
        let content = ContentReference(
            digest: Digest.of(list), size: UInt64(parts.reduce(0) { $0 + $1.count }), layout: .manifest)
        let batch = ChangeBatch(
            device: DeviceID(1), deviceName: "desk", deviceSequence: number, time: .zero,
            changes: [
                .create(
                    ItemID(high: 7, low: number), parent: .documents, name: try ItemName("f\(number)"),
                    attributes: ItemAttributes(permissions: 0o644, modified: .zero, created: .zero),
                    body: .file(.stored(content)))
            ])
        _ = try await source.append(try batch.encoded(), to: container)
        return manifest
    }

    @discardableResult
    private func copy() async throws -> CloudCopyProgress {
        var copy = CloudCopy(from: source, to: target) { _ in }
        return try await copy.run()
    }

    private func entries(_ cloud: InMemoryBackend, _ container: ContainerName) async throws -> [LogRecord] {
        try await cloud.entries(in: container, after: .zero, limit: 1000)
    }

    @Test("The logs of the copy are equal, all chunks are there, and devices of the source may continue")
    func whole() async throws {
        for number in 1...150 { try await add(UInt64(number), [UInt8(number), 1], to: .cloudDocs) }
        let large = try await addLarge(151, [[1, 2, 3], [4, 5], [6]], to: .cloudDocs)
        let chunk = try await add(1, [9], to: notes)
        _ = try await source.append([1], to: notes)
        let result = try await copy()
        for name in [ContainerName.cloudDocs, notes] {
            let (before, after) = (try await entries(source, name), try await entries(target, name))
            #expect(before == after)
        }
        #expect(large.chunks.allSatisfy { target.storedChunk($0.id, in: .cloudDocs) != nil })
        #expect(target.storedChunk(Digest.of(large.encoded()), in: .cloudDocs) != nil)
        #expect(try target.storedChunk(#require(chunk), in: notes) != nil)
        #expect(result.containers == 2 && result.copiedEntries == 153 && result.incompleteContents == 0)
        let identity = try await target.connect(create: false)
        #expect(identity.text == "target")
        // A device of the source finds its position, unless it has read more than was copied.
        let end = try #require(await entries(source, notes).last).position
        #expect(try await target.entries(in: notes, after: end, limit: 1).isEmpty)
        await expectCloudError(.diverged) {
            _ = try await target.entries(in: notes, after: end.following([2]), limit: 1)
        }
    }

    @Test("A copy that fails at any call continues at the next run and ends the same")
    func interrupted() async throws {
        for number in 1...3 { try await add(UInt64(number), [UInt8(number)], to: .cloudDocs) }
        let chunk = try #require(try await add(1, [200], to: notes))
        var failures = 0
        for operation in [InMemoryBackend.Operation.createContainer, .missing, .putChunk, .append, .entries] {
            target.gate.fail(operation, with: CloudError(.offline, "gone"), times: 1)
            do { try await copy() } catch let error as CloudError {
                #expect(error.code == .offline)
                failures += 1
            }
            try await add(UInt64(10 + failures), [UInt8(10 + failures)], to: .cloudDocs)
        }
        #expect(failures == 5)
        try await copy()
        for name in [ContainerName.cloudDocs, notes] {
            let (before, after) = (try await entries(source, name), try await entries(target, name))
            #expect(before == after)
        }
        #expect(target.storedChunk(chunk, in: notes) != nil)
    }

    @Test("A repeated copy adds what is new, and puts chunks again that the target lost")
    func repeated() async throws {
        let chunk = try #require(try await add(1, [1], to: .cloudDocs))
        try await copy()
        let nothing = try await copy()
        #expect(nothing.copiedEntries == 0 && nothing.chunks == 0)
        try await add(2, nil, to: .cloudDocs)
        target.replaceChunk(chunk, in: .cloudDocs, with: nil)
        let more = try await copy()
        #expect(more.copiedEntries == 1 && more.chunks == 1)
        #expect(target.storedChunk(chunk, in: .cloudDocs) != nil)
    }

    @Test("A device moves to a copy that other devices write to, unless its own cloud has something new since")
    func moved() async throws {
        try await add(1, [1], to: .cloudDocs)
        try await add(2, nil, to: .cloudDocs)
        func move(_ purpose: CloudCopy.Purpose) async throws -> CloudCopyProgress {
            var copy = CloudCopy(from: source, to: target, for: purpose) { _ in }
            return try await copy.run()
        }
        #expect(try await move(.move).copiedEntries == 2)
        _ = try await target.append([5], to: .cloudDocs)
        try await target.createContainer(try #require(ContainerName("com.example.new")))
        for purpose in [CloudCopy.Purpose.move, .rest] { #expect(try await move(purpose).copiedEntries == 0) }
        try await add(3, nil, to: .cloudDocs)
        for purpose in [CloudCopy.Purpose.move, .rest] {
            let error = await #expect(throws: CloudError.self) { _ = try await move(purpose) }
            #expect(error?.code == .foreign)
        }
    }

    @Test(
        "A copy knows the total before it begins, and has done it all at its end, also where the target has everything")
    func totals() async throws {
        for number in 1...100 { try await add(UInt64(number), [UInt8(number), 1], to: .cloudDocs) }
        _ = try await addLarge(101, [[1, 2, 3], [4, 5], [6]], to: notes)
        for _ in 1...2 {
            var seen: [CloudCopyProgress] = []
            var copy = CloudCopy(from: source, to: target) { seen.append($0) }
            let end = try await copy.run()
            #expect(seen.first?.doneEntries == 0 && seen.first?.doneBytes == 0)
            for state in seen { #expect(state.totalEntries == 101 && state.totalBytes == 206) }
            #expect(end.doneEntries == 101 && end.doneBytes == 206)
        }
    }

    @Test("A repeated copy asks about the chunks of many entries at once")
    func requests() async throws {
        for number in 1...200 { try await add(UInt64(number), [UInt8(number), 1], to: .cloudDocs) }
        try await copy()
        let before = target.gate.count(.missing)
        try await copy()
        #expect(target.gate.count(.missing) - before == 4)
    }

    @Test(
        "A target with entries of its own is refused, and gets none", arguments: ["longer", "different", "elsewhere"])
    func diverged(_ how: String) async throws {
        try await add(1, [1], to: .cloudDocs)
        if how == "longer" { try await copy() }
        let other = try #require(ContainerName("com.example.other"))
        let place = how == "elsewhere" ? other : .cloudDocs
        try await target.createContainer(place)
        _ = try await target.append([5], to: place)
        let before = try await entries(target, place)
        let error = await #expect(throws: CloudError.self) { try await copy() }
        #expect(error?.code == .foreign)
        let after = try await entries(target, place)
        #expect(before == after)
    }

    @Test("Contents without bytes in the source are counted, and everything else is copied")
    func incomplete() async throws {
        let lost = try #require(try await add(1, [1], to: .cloudDocs))
        let damaged = try #require(try await add(2, [2], to: .cloudDocs))
        let good = try #require(try await add(3, [3], to: .cloudDocs))
        let large = try await addLarge(4, [[4], [5]], to: .cloudDocs)
        source.replaceChunk(lost, in: .cloudDocs, with: nil)
        source.replaceChunk(damaged, in: .cloudDocs, with: ChunkFrame.encode([77]))
        source.replaceChunk(large.chunks[0].id, in: .cloudDocs, with: nil)
        let result = try await copy()
        #expect(result.incompleteContents == 3)
        #expect(target.storedChunk(damaged, in: .cloudDocs) == nil)
        #expect(target.storedChunk(good, in: .cloudDocs) != nil)
        #expect(target.storedChunk(large.chunks[1].id, in: .cloudDocs) != nil)
    }

    /// Puts the list of a collection with these keys into the source, and proposes and begins the collection.
    private func collect(_ keys: [ChunkKey], _ numbers: ClosedRange<UInt64>) async throws -> ChunkID {
        let bytes = try #require(CollectionList(keys)).encoded()
        let list = Digest.of(bytes)
        try await source.putChunk(list, frame: ChunkFrame.encode(bytes), in: .cloudDocs)
        let content = ContentReference(digest: list, size: UInt64(bytes.count), layout: .chunk)
        for (number, step) in zip(numbers, [CollectionStep.proposed(epoch: 1, list: content), .begun(epoch: 1)]) {
            let batch = ChangeBatch(
                device: DeviceID(1), deviceName: "desk", deviceSequence: number, time: .zero,
                changes: [.collection(step)])
            _ = try await source.append(try batch.encoded(), to: .cloudDocs)
        }
        return list
    }

    @Test("A chunk that a copied collection may remove is put again, under a key that the collection does not name")
    func collections() async throws {
        let listed = try #require(try await add(1, [1], to: .cloudDocs))
        let other = try #require(try await add(2, [2], to: .cloudDocs))
        // The collection is in another page of the log, so the target has both chunks under keys of epoch 0 by then.
        for number in UInt64(3)...70 { try await add(number, nil, to: .cloudDocs) }
        _ = try await collect([ChunkKey(listed)], 71...72)
        for number in UInt64(73)...74 { try await add(number, [UInt8(number - 72)], to: .cloudDocs) }
        try await copy()
        let keys = [ChunkKey(listed), ChunkKey(listed, epoch: 1), ChunkKey(other), ChunkKey(other, epoch: 1)]
        let present = try await target.present(keys, in: .cloudDocs)
        #expect(present.contains(ChunkKey(listed, epoch: 1)), "a collector of the target may remove the only key")
        #expect(present.contains(ChunkKey(other)) && !present.contains(ChunkKey(other, epoch: 1)))
        let again = try await copy()
        #expect(again.chunks == 0)
    }

    @Test("Where the list of a collection cannot be read, no key before it is relied on")
    func unreadableList() async throws {
        let chunk = try #require(try await add(1, [7], to: .cloudDocs))
        for number in UInt64(2)...70 { try await add(number, nil, to: .cloudDocs) }
        let list = try await collect([], 71...72)
        source.replaceChunk(list, in: .cloudDocs, with: nil)
        try await add(73, [7], to: .cloudDocs)
        try await copy()
        let present = try await target.present([ChunkKey(chunk, epoch: 1)], in: .cloudDocs)
        #expect(present.count == 1)
    }

    @Test("One cloud under two addresses is refused")
    func same() async throws {
        let twin = InMemoryBackend(identity: "source")
        var copy = CloudCopy(from: source, to: twin) { _ in }
        let error = await #expect(throws: CloudError.self) { try await copy.run() }
        #expect(error?.code == .foreign)
    }
}
