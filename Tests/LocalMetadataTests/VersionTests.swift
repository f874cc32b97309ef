import Basics
import CloudModel
import ContainerLog
import TestSupport
import Testing

@testable import LocalMetadata

@Suite("The history of documents")
struct VersionTests {
    private let scratch: Scratch
    private let container: ContainerID
    private let id = ItemID(high: 1 << 63, low: 7)

    init() throws {
        scratch = try Scratch()
        container = try scratch.metadata.write { try $0.createContainer(.cloudDocs, at: .zero) }
    }

    private func content(_ number: UInt64) -> ContentReference {
        ContentReference(digest: Digest(words: (number, 0, 0, 0)), size: number, layout: .chunk)
    }

    private func day(_ number: Int) -> Timestamp { Timestamp(seconds: 1_800_000_000 + Int64(number) * 86_400) }

    /// Edits the document once for each content, a day apart.
    private func save(_ contents: [UInt64], _ transaction: MetadataTransaction) throws {
        for (index, number) in contents.enumerated() {
            let place = index + 1
            var tree = transaction.remote(in: container, now: day(place))
            let body = ItemBody.file(.stored(content(number)))
            let attributes = ItemAttributes(permissions: 0o644, modified: .zero, created: .zero)
            let change: Change =
                index == 0
                ? .create(id, parent: .documents, name: try ItemName("a"), attributes: attributes, body: body)
                : .edit(
                    id, base: content(contents[index - 1]).digest, content: .stored(content(number)), modified: .zero)
            let batch = ChangeBatch(
                device: DeviceID(1), deviceName: "A", deviceSequence: UInt64(place),
                time: day(place), changes: [change])
            _ = try ContainerReducer().fold(batch, at: LogSequence(UInt64(place)), into: &tree)
        }
    }

    private func sizes(_ limits: VersionLimits, _ transaction: MetadataTransaction) throws -> [UInt64] {
        try transaction.history.versions(of: id, in: container, limits, at: day(5)).map(\.content.size)
    }

    @Test("versions are listed newest first, within the requested count and age; older ones can be forgotten")
    func limits() throws {
        try scratch.metadata.write { transaction throws -> Void in
            try save([1, 2, 3, 4, 5], transaction)
            #expect(try sizes(VersionLimits(), transaction) == [4, 3, 2, 1])
            #expect(try sizes(VersionLimits(count: 2), transaction) == [4, 3])
            #expect(try sizes(VersionLimits(age: .seconds(86_400)), transaction) == [4, 3])
            try transaction.history.expireVersions(before: day(4))
            #expect(try sizes(VersionLimits(), transaction) == [4, 3])
        }
    }

    @Test("a version that a user removed is not listed while the removal is unsent, and others are")
    func removal() throws {
        try scratch.metadata.write { transaction throws -> Void in
            try save([1, 2, 3], transaction)
            let oldest = try #require(
                try transaction.history.versions(of: id, in: container, VersionLimits(), at: day(3)).last)
            try transaction.pending.insert(Resolution(container: container, item: id, version: oldest.version))
            #expect(try sizes(VersionLimits(), transaction) == [2])
            #expect(try transaction.history.version(oldest.version, of: id, in: container) == oldest)
            try transaction.history.removeVersion(oldest.version, of: id, in: container)
            #expect(try transaction.history.version(oldest.version, of: id, in: container) == nil)
        }
    }

    @Test("a content that becomes current again is also a version of the time before")
    func back() throws {
        try scratch.metadata.write { transaction throws -> Void in
            try save([1, 2, 1], transaction)
            #expect(try sizes(VersionLimits(), transaction) == [2, 1])
        }
    }
}
