import Basics
import CloudModel
import ContainerLog
import LocalContent
import LocalMetadata
import Maintenance
import Testing

@Suite("How a rebuild treats the blobs it finds")
struct BlobVerdictTests {
    private let logged = Digest(words: (1, 2, 3, 4))
    private let untold = Digest(words: (5, 6, 7, 8))
    private let id = ItemID(high: 9, low: 9)

    private var knowledge: LogKnowledge {
        get throws {
            var knowledge = LogKnowledge()
            let content = ContentReference(digest: logged, size: 5, layout: .chunk)
            let attributes = ItemAttributes(permissions: 0o644, modified: .zero, created: .zero)
            knowledge.add(
                ChangeBatch(
                    device: DeviceID(1), deviceName: "a", deviceSequence: 1, time: .zero,
                    changes: [
                        .create(
                            id, parent: .documents, name: try ItemName("f"), attributes: attributes,
                            body: .file(.stored(content)))
                    ]), in: .cloudDocs)
            return knowledge
        }
    }

    /// The same content, in an entry that also changes a package.
    private var doubtful: LogKnowledge {
        get throws {
            var knowledge = LogKnowledge()
            let content = ContentReference(digest: logged, size: 5, layout: .chunk)
            let package = PackageVersion(
                ItemID(high: 5, low: 5), VersionID(sequence: LogSequence(1), index: 0))
            knowledge.add(
                ChangeBatch(
                    device: DeviceID(1), deviceName: "a", deviceSequence: 1, time: .zero, packages: [package],
                    changes: [.edit(id, base: nil, content: .stored(content), modified: .zero)]), in: .cloudDocs)
            return knowledge
        }
    }

    private func row(_ item: ItemID, edited: Bool = false, presence: Presence = .whole) throws -> LocalItem {
        var row = LocalItem(
            container: ContainerID(1), item: item, parent: NodeID(17), name: try ItemName("f"), kind: .file,
            attributes: ItemAttributes(permissions: 0o644, modified: .zero, created: .zero), changed: .zero)
        row.node = NodeID(20)
        row.generation = 1
        row.size = 5
        row.isEdited = edited
        row.presence = presence
        row.content = edited ? nil : ContentReference(digest: logged, size: 5, layout: .chunk)
        row.isKnown = true
        return row
    }

    private let blob = BlobName(node: 20, generation: 1)

    private func verdict(
        _ row: LocalItem?, _ digest: Digest?, hasHoles: Bool = false, blob: BlobName? = nil, isFollowed: Bool = true,
        knowledge other: LogKnowledge? = nil
    ) throws -> BlobVerdict {
        BlobVerdict(
            row: row, blob: blob ?? self.blob, digest: digest, hasHoles: hasHoles, knowledge: try other ?? knowledge,
            isFollowed: isFollowed)
    }

    @Test("bytes that the log has for that document may be removed")
    func clean() throws { #expect(try verdict(row(id), logged) == .inCloud) }

    @Test("bytes that are not in the log are recovered, whatever their row says")
    func untoldBytes() throws {
        #expect(try verdict(row(id), untold) == .recover)
        #expect(try verdict(row(id, edited: true), untold) == .recover)
        #expect(try verdict(nil, untold) == .recover)
    }

    @Test("what a failed download leaves is no document: its row knows of no bytes, and the file is a hole")
    func failedDownload() throws {
        let other = try row(ItemID(high: 7, low: 7), presence: .none)
        #expect(try verdict(other, untold, hasHoles: true, isFollowed: false) == .keepAside)
        #expect(try verdict(row(id, presence: .none), untold, hasHoles: true, isFollowed: false) == .leftover)
        #expect(
            try verdict(other, untold, isFollowed: false) == .recover, "without holes it may be an edit in a torn copy")
        var sparse = other
        sparse.content = ContentReference(digest: untold, size: 5, layout: .chunk)
        #expect(
            try verdict(sparse, untold, hasHoles: true, isFollowed: false) == .recover, "its bytes are those of its row"
        )
    }

    @Test("an edit back to bytes that are in the log is still an edit")
    func revert() throws { #expect(try verdict(row(id, edited: true), logged) == .recover) }

    @Test("a new document with the bytes of another is recovered: only its bytes are in the cloud")
    func copy() throws {
        var copy = try row(ItemID(high: 8, low: 8))
        copy.isKnown = false
        copy.pendingSince = .zero
        #expect(try verdict(copy, logged) == .recover)
    }

    @Test("a sent document with the bytes of another is recovered from a cloud that no longer has the log of it")
    func copyInCloudThatWentBack() throws {
        let copy = try row(ItemID(high: 8, low: 8))
        #expect(try verdict(copy, logged) == .inCloud, "merged folders give documents other ids")
        #expect(try verdict(copy, logged, isFollowed: false) == .recover)
    }

    @Test("an entry that the log may have refused counts only where the device knows that it was taken")
    func refusedEntry() throws {
        var pending = try row(id)
        pending.pendingSince = .zero
        #expect(try verdict(row(id), logged, knowledge: doubtful) == .inCloud)
        #expect(try verdict(pending, logged, knowledge: doubtful) == .recover)
        #expect(try verdict(row(id), logged, isFollowed: false, knowledge: doubtful) == .recover)
    }

    @Test("an entry whose number its device had used before says nothing")
    func voidEntry() throws {
        var knowledge = try knowledge
        let content = ContentReference(digest: untold, size: 5, layout: .chunk)
        knowledge.add(
            ChangeBatch(
                device: DeviceID(1), deviceName: "a", deviceSequence: 1, time: .zero,
                changes: [.edit(id, base: nil, content: .stored(content), modified: .zero)]), in: .cloudDocs)
        #expect(try verdict(row(id), untold, knowledge: knowledge) == .recover)
    }

    @Test("a partial download is not recovered, as the whole content is in the cloud")
    func part() throws {
        #expect(try verdict(row(id, presence: .partial), untold, hasHoles: true) == .leftover)
        #expect(try verdict(row(id, presence: .none), untold, hasHoles: true) == .leftover)
    }

    @Test("a blob of unknown origin with holes stays with the old state, and is never deleted")
    func holes() throws {
        #expect(try verdict(nil, untold, hasHoles: true) == .keepAside)
        #expect(try verdict(nil, nil) == .keepAside)
        #expect(try verdict(row(id), untold, hasHoles: true, blob: BlobName(node: 20, generation: 7)) == .keepAside)
    }

    @Test(
        "unreadable bytes are recovered with their row, as a part of them may be readable later")
    func unreadable() throws { #expect(try verdict(row(id), nil) == .recover) }
}
