import Basics
import CloudModel
import Synchronization
import TestSupport
import Testing

@testable import LocalMetadata

@Suite("Rows that changed, and conditions on rows")
struct QueryConditionTests {
    private final class Seen: Sendable {
        let changes = Locked<[RowChanges]>([])
    }

    private func item(_ name: String, in container: ContainerID, _ parent: NodeID, kind: LocalKind = .file) throws
        -> LocalItem
    {
        var random = SystemRandomNumberGenerator()
        return LocalItem(
            container: container, item: .random(using: &random), parent: parent, name: try ItemName(name), kind: kind,
            attributes: ItemAttributes(permissions: 0o644, modified: .zero, created: .zero), changed: .zero)
    }

    @Test("Each transaction reports the rows that it changed once it is committed, and nothing if it failed")
    func rowsThatChanged() throws {
        let scratch = try Scratch()
        let seen = Seen()
        scratch.metadata.watchRows { changes in seen.changes.withLock { $0.append(changes) } }
        let container = try scratch.metadata.write { try $0.createContainer(.cloudDocs, at: .zero) }
        seen.changes.withLock { $0 = [] }
        let node = try scratch.metadata.write { try $0.local.insert(item("a", in: container, .root)) }
        #expect(seen.changes.withLock { $0.map(\.nodes) } == [[node]])
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try scratch.metadata.write { transaction throws -> Void in
                try transaction.local.remove(node)
                throw Stop()
            }
        }
        try scratch.metadata.write { try $0.setSetting("x", .init([1])) }
        #expect(seen.changes.withLock { $0.count } == 1)
        try scratch.metadata.write { try $0.local.remove(node) }
        #expect(seen.changes.withLock { $0.map(\.nodes) } == [[node], [node]])
    }

    @Test("A folder that moves is distinguished from one that only changed")
    func movedFolders() throws {
        let scratch = try Scratch()
        let container = try scratch.metadata.write { try $0.createContainer(.cloudDocs, at: .zero) }
        let node = try scratch.metadata.write { try $0.local.insert(item("f", in: container, .root, kind: .folder)) }
        let seen = Seen()
        scratch.metadata.watchRows { changes in seen.changes.withLock { $0.append(changes) } }
        try scratch.metadata.write { transaction throws -> Void in
            var folder = try #require(try transaction.local.item(node))
            folder.attributes.permissions = 0o700
            try transaction.local.update(folder)
        }
        try scratch.metadata.write { transaction throws -> Void in
            var folder = try #require(try transaction.local.item(node))
            folder.name = try ItemName("g")
            try transaction.local.update(folder)
        }
        #expect(seen.changes.withLock { $0.map(\.movedFolders) } == [[], [node]])
    }

    @Test("Each condition on items selects the rows that it describes")
    func conditions() throws {
        let scratch = try Scratch()
        let container = try scratch.metadata.write { try $0.createContainer(.cloudDocs, at: .zero) }
        let made: [String] = try scratch.metadata.write { transaction in
            var items = try ["folder", "empty", "here.txt", "away.txt", "version", "edited"].map {
                try item($0, in: container, .root, kind: $0 == "folder" ? .folder : .file)
            }
            for index in items.indices.dropFirst(2) { items[index].size = UInt64(index) }
            items[2].presence = .whole
            items[3].attributes.modified = Timestamp(nanoseconds: 7)
            items[3].attributes.created = Timestamp(nanoseconds: -7)
            items[4].conflict = .init(
                document: items[2].item, version: VersionID(sequence: LogSequence(1), index: 0))
            (items[5].presence, items[5].isEdited, items[5].pendingSince) = (.whole, true, .zero)
            for item in items { try transaction.local.insert(item) }
            return items.map(\.name.description)
        }
        func names(_ condition: ItemCondition) throws -> Set<String> {
            let items = try scratch.metadata.read {
                try $0.local.items(after: NodeID(0), meeting: condition, limit: 100)
            }
            return Set(items.map(\.name.description)).intersection(made)
        }
        let all = Set(made)
        #expect(try names(.everything) == all)
        #expect(try names(.nothing).isEmpty)
        #expect(try names(.isFolder) == ["folder"])
        #expect(try names(.not(.isFolder)) == all.subtracting(["folder"]))
        #expect(try names(.isIncompleteFile) == ["away.txt", "version"])
        #expect(try names(.isConflictVersion) == ["version"])
        #expect(try names(.hasConflictVersions) == ["here.txt"])
        #expect(try names(.not(.hasConflictVersions)) == all.subtracting(["here.txt"]))
        #expect(try names(.isSynced) == all.subtracting(["edited"]))
        #expect(try names(.size(.equal(3))) == ["away.txt"])
        #expect(try names(.size(.notEqual(0))) == ["here.txt", "away.txt", "version", "edited"])
        #expect(try names(.not(.size(.less(4)))) == ["version", "edited"])
        #expect(try names(.size(.lessOrEqual(2))) == ["folder", "empty", "here.txt"])
        #expect(try names(.size(.greater(4))) == ["edited"])
        #expect(try names(.size(.greaterOrEqual(4))) == ["version", "edited"])
        #expect(try names(.size(.between(2, 3))) == ["here.txt", "away.txt"])
        #expect(try names(.size(.among([2, 5, 9]))) == ["here.txt", "edited"])
        #expect(try names(.modified(.equal(7))) == ["away.txt"])
        #expect(try names(.created(.less(0))) == ["away.txt"])
        #expect(try names(.name(.among([Array("empty".utf8), Array("x".utf8)]))) == ["empty"])
        #expect(try names(.name(.endsWith(Array(".txt".utf8)))) == ["here.txt", "away.txt"])
        #expect(try names(.name(.contains(Array("er".utf8)))) == ["here.txt", "version", "folder"])
        #expect(try names(.all([.size(.greater(2)), .isIncompleteFile])) == ["away.txt", "version"])
        #expect(try names(.any([.isFolder, .size(.equal(5))])) == ["folder", "edited"])
    }
}

/// A value behind a lock, for sharing between closures.
final class Locked<Value: Sendable>: Sendable {
    private let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
    func withLock<T: Sendable>(_ body: (inout Value) -> T) -> T {
        value.withLock { value in
            var copy = value
            defer { value = copy }
            return body(&copy)
        }
    }
}
