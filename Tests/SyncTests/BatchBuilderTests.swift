import Basics
import CloudModel
import ContainerLog
import Foundation
import LocalMetadata
import Logging
import Sync
import Testing

@Suite("Batches")
final class BatchBuilderTests {
    private let directory = NSTemporaryDirectory() + "/ubiquity-batch-\(UUID().uuidString)"
    private let metadata: MetadataDatabase
    private let container: ContainerID

    init() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        metadata = try MetadataDatabase(path: directory + "/metadata.sqlite", log: Logger(label: "test"))
        container = try metadata.write { try $0.createContainer(.cloudDocs, at: .zero) }
    }

    deinit {
        try? metadata.close()
        try? FileManager.default.removeItem(atPath: directory)
    }

    private func insert(
        _ name: String, in parent: NodeID, kind: LocalKind = .folder, _ transaction: MetadataTransaction,
        _ change: (inout LocalItem) -> Void = { _ in }
    ) throws -> LocalItem {
        var item = LocalItem(
            container: container, item: ItemID(high: 1 << 63, low: UInt64(name.utf8.reduce(0) { $0 &* 31 + Int($1) })),
            parent: parent, name: try ItemName(name), kind: kind,
            attributes: ItemAttributes(permissions: 0o644, modified: .zero, created: .zero), changed: .zero)
        item.pendingSince = .zero
        change(&item)
        item.node = try transaction.local.insert(item)
        return item
    }

    private func documents(_ transaction: MetadataTransaction) throws -> NodeID {
        try #require(try transaction.local.item(.documents, in: container)).node
    }

    @Test("the contents of a new paused folder wait for the folder, at any depth")
    func heldFolder() throws {
        try metadata.write { transaction throws -> Void in
            let paused = try insert("paused", in: documents(transaction), transaction) { $0.isPaused = true }
            let inner = try insert("inner", in: paused.node, transaction)
            let link = try insert("link", in: inner.node, kind: .symlink, transaction) { $0.target = [46] }
            let other = try insert("other", in: documents(transaction), transaction)
            var builder = BatchBuilder(transaction, container: container)
            for item in [link, inner, paused, other] { try builder.add(item) }
            #expect(builder.changes.map(\.created) == [other.item])
            #expect(builder.quiet.isEmpty, "they are still to be sent")
        }
    }

    @Test(
        "a package is sent as a whole, once none of its items was changed recently, is open for writing or waits for its upload"
    )
    func packages() throws {
        try metadata.write { transaction throws -> Void in
            let package = try insert("d.rtfd", in: documents(transaction), transaction)
            let folder = try insert("inner", in: package.node, transaction)
            let link = try insert("link", in: folder.node, kind: .symlink, transaction) { $0.target = [46] }
            let other = try insert("other", in: documents(transaction), transaction)
            func sent(_ change: (inout LocalItem) -> Void) throws -> [ItemID] {
                var changed = link
                change(&changed)
                try transaction.local.update(changed)
                var builder = BatchBuilder(
                    transaction, container: container, settledBefore: Timestamp(seconds: 1))
                try builder.addReady(before: Timestamp(seconds: 1))
                return builder.changes.compactMap(\.created)
            }
            #expect(try sent { $0.pendingSince = Timestamp(seconds: 2) } == [other.item], "it may be half of a save")
            #expect(try sent { $0.isWriting = true } == [other.item])
            #expect(try sent { $0.isPaused = true } == [other.item])
            #expect(try Set(sent { _ in }) == Set([package, folder, link, other].map(\.item)))
            var builder = BatchBuilder(
                transaction, container: container, held: [package.node])
            try builder.addReady(before: Timestamp(seconds: 1))
            #expect(builder.changes.compactMap(\.created) == [other.item], "a program writes it under a claim")
        }
    }

    @Test("one item of a package brings all of it into the batch, however full the batch is")
    func wholePackages() throws {
        try metadata.write { transaction throws -> Void in
            let package = try insert("d.rtfd", in: documents(transaction), transaction)
            let inner = try (0..<5).map { try insert("\($0)", in: package.node, transaction) }
            var builder = BatchBuilder(transaction, container: container)
            try builder.add(inner[3])
            #expect(builder.changes.compactMap(\.created) == [package.item] + inner.map(\.item))
        }
    }

    @Test("a large new file is announced before its bytes are in the cloud, a small one is not")
    func announcements() throws {
        try metadata.write { transaction throws -> Void in
            let folder = try insert("folder", in: documents(transaction), transaction)
            for (name, size) in [("small", 99), ("large", 100)] {
                _ = try insert(name, in: folder.node, kind: .file, transaction) { item in
                    item.presence = .whole
                    item.isEdited = true
                    item.size = UInt64(size)
                }
            }
            var builder = BatchBuilder(transaction, container: container, announcedSize: 100)
            try builder.addReady(before: Timestamp(seconds: 1))
            guard case .create(_, folder.item, let name, _, .file(.announced(size: 100))) = builder.changes.last else {
                Issue.record("the last is \(String(describing: builder.changes.last))")
                return
            }
            #expect(builder.changes.count == 2 && name.description == "large")
        }
    }

    @Test("a new folder comes before what is in it")
    func parentsFirst() throws {
        try metadata.write { transaction throws -> Void in
            let outer = try insert("outer", in: documents(transaction), transaction)
            let inner = try insert("inner", in: outer.node, transaction)
            let link = try insert("link", in: inner.node, kind: .symlink, transaction) { $0.target = [46] }
            var builder = BatchBuilder(transaction, container: container)
            for item in [link, outer, inner] { try builder.add(item) }
            #expect(builder.changes.map(\.created) == [outer.item, inner.item, link.item])
        }
    }
}
