import Basics
import CloudModel
import ContainerLog
import TestSupport
import Testing

@testable import LocalMetadata

@Suite("Deleted items")
struct DeletionTests {
    private let scratch: Scratch
    private let container: ContainerID

    init() throws {
        scratch = try Scratch()
        container = try scratch.metadata.write { try $0.createContainer(.cloudDocs, at: .zero) }
    }

    private func id(_ number: UInt64) -> ItemID { ItemID(high: 1 << 63, low: number) }

    private func minute(_ number: Int) -> Timestamp { Timestamp(seconds: 1_800_000_000 + Int64(number) * 60) }

    /// Folds remote entries, a minute apart.
    private func fold(
        _ entries: [[Change]], _ transaction: MetadataTransaction, from first: Int = 1
    ) throws {
        for (index, changes) in entries.enumerated() {
            let number = first + index
            let origin = EntryOrigin(device: "desk", time: minute(number))
            var tree = transaction.remote(in: container, now: minute(number), origin: origin)
            let batch = ChangeBatch(
                device: DeviceID(1), deviceName: "desk", deviceSequence: UInt64(number), time: minute(number),
                changes: changes)
            _ = try ContainerReducer().fold(batch, at: LogSequence(UInt64(number)), into: &tree)
        }
    }

    private func create(_ number: UInt64, _ name: String, in parent: ItemID = .documents, isFolder: Bool = false) throws
        -> Change
    {
        let content = ContentReference(digest: Digest(words: (number, 0, 0, 0)), size: number, layout: .chunk)
        return .create(
            id(number), parent: parent, name: try ItemName(name),
            attributes: ItemAttributes(permissions: 0o644, modified: .zero, created: .zero),
            body: isFolder ? .folder : .file(.stored(content)))
    }

    private func delete(_ number: UInt64, isFolder: Bool = false) -> Change {
        .delete(id(number), base: isFolder ? nil : Digest(words: (number, 0, 0, 0)))
    }

    private func listed(_ transaction: MetadataTransaction, since oldest: Timestamp = .zero) throws -> [ItemID] {
        try transaction.history.deletions(since: oldest, after: nil, limit: 100).map(\.item)
    }

    @Test(
        "a folder is listed for what was deleted with it; items deleted more than an hour before are listed by themselves"
    )
    func folder() throws {
        try scratch.metadata.write { transaction throws -> Void in
            try fold(
                [
                    [try create(1, "d", isFolder: true), try create(2, "a", in: id(1)), try create(3, "b", in: id(1))],
                    [delete(2)],
                ], transaction)
            try fold([[delete(3)], [delete(1, isFolder: true)]], transaction, from: 3)
            #expect(try listed(transaction) == [id(1)])
            let folder = try #require(try transaction.history.deletedItem(id(1), in: container))
            #expect(folder.device == "desk" && folder.time == minute(4))
            #expect(try transaction.history.deletedChildren(of: folder).map(\.id) == [id(2), id(3)])
        }
        let other = try Scratch()
        try other.metadata.write { transaction throws -> Void in
            _ = try transaction.createContainer(.cloudDocs, at: .zero)
            try fold([[try create(1, "d", isFolder: true), try create(2, "a", in: id(1))], [delete(2)]], transaction)
            for number in 3..<100 { try fold([[]], transaction, from: number) }
            try fold([[delete(1, isFolder: true)]], transaction, from: 100)
            #expect(try listed(transaction) == [id(1), id(2)])
        }
    }

    @Test("of several items with one name the last deleted is restored with its folder")
    func names() throws {
        try scratch.metadata.write { transaction throws -> Void in
            try fold(
                [
                    [try create(1, "d", isFolder: true), try create(2, "a", in: id(1))], [delete(2)],
                    [try create(3, "a", in: id(1))], [delete(3)], [delete(1, isFolder: true)],
                ], transaction)
            let folder = try #require(try transaction.history.deletedItem(id(1), in: container))
            #expect(try transaction.history.deletedChildren(of: folder).map(\.id) == [id(3)])
            let path = ["CloudDocs", "Documents", "d", "a"].map { Array($0.utf8) }
            #expect(try transaction.history.deletedItems(at: path).map(\.id) == [id(3), id(2)])
        }
    }

    @Test("a restored item is no longer listed, and old deletions are forgotten")
    func ends() throws {
        try scratch.metadata.write { transaction throws -> Void in
            try fold(
                [[try create(1, "a"), try create(2, "b")], [delete(1), delete(2)], [try create(1, "a")]], transaction)
            #expect(try listed(transaction) == [id(2)])
            #expect(try transaction.history.deletedItem(id(1), in: container) == nil)
            #expect(try listed(transaction, since: minute(3)).isEmpty)
            try transaction.history.expireDeletions(before: minute(3))
            #expect(try listed(transaction).isEmpty)
        }
    }

    @Test("a file whose version was removed, or that never had bytes in the cloud, cannot be restored")
    func gone() throws {
        try scratch.metadata.write { transaction throws -> Void in
            let announced = Change.create(
                id(2), parent: .documents, name: try ItemName("b"),
                attributes: ItemAttributes(permissions: 0o644, modified: .zero, created: .zero),
                body: .file(.announced(size: 5)))
            try fold([[try create(1, "a"), announced], [delete(1), .delete(id(2), base: nil)]], transaction)
            let version = try #require(try transaction.history.deletedItem(id(1), in: container)).cloud.version
            #expect(try transaction.history.deletedItem(id(2), in: container) == nil)
            try transaction.pending.insert(Resolution(container: container, item: id(1), version: version))
            #expect(try transaction.history.deletedItem(id(1), in: container) == nil)
        }
    }

    @Test("deletions with one time are listed page by page, each once")
    func pages() throws {
        try scratch.metadata.write { transaction throws -> Void in
            let numbers = Array(UInt64(1)...25)
            try fold([try numbers.map { try create($0, "\($0)") }, numbers.map { delete($0) }], transaction)
            var seen: [ItemID] = []
            var cursor: ItemHistory.DeletionCursor?
            while case let page = try transaction.history.deletions(since: .zero, after: cursor, limit: 7),
                !page.isEmpty
            {
                seen += page.map(\.item)
                cursor = page.last
            }
            #expect(seen.count == 25 && Set(seen).count == 25)
        }
    }
}
