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

    @Test("The watcher gets the rows that a transaction changed once it is committed, and nothing if it failed")
    func rowsThatChanged() throws {
        let scratch = try Scratch()
        let seen = Seen()
        scratch.metadata.watchRows { changes in seen.changes.withLock { $0.append(changes) } }
        let container = try scratch.metadata.write { try $0.createContainer(.cloudDocs, at: .zero) }
        seen.changes.withLock { $0 = [] }
        let node = try scratch.metadata.write { try $0.insert(item("a", in: container, .root)) }
        #expect(seen.changes.withLock { $0.map(\.nodes) } == [[node]])
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try scratch.metadata.write { transaction throws -> Void in
                try transaction.remove(node)
                throw Stop()
            }
        }
        try scratch.metadata.write { try $0.setSetting("x", .init([1])) }
        #expect(seen.changes.withLock { $0.count } == 1)
        try scratch.metadata.write { try $0.remove(node) }
        #expect(seen.changes.withLock { $0.map(\.nodes) } == [[node], [node]])
    }

    @Test("A folder that moves is distinguished from one that only changed")
    func movedFolders() throws {
        let scratch = try Scratch()
        let container = try scratch.metadata.write { try $0.createContainer(.cloudDocs, at: .zero) }
        let node = try scratch.metadata.write { try $0.insert(item("f", in: container, .root, kind: .folder)) }
        let seen = Seen()
        scratch.metadata.watchRows { changes in seen.changes.withLock { $0.append(changes) } }
        try scratch.metadata.write { transaction throws -> Void in
            var folder = try #require(try transaction.item(node))
            folder.attributes.permissions = 0o700
            try transaction.update(folder)
        }
        try scratch.metadata.write { transaction throws -> Void in
            var folder = try #require(try transaction.item(node))
            folder.name = try ItemName("g")
            try transaction.update(folder)
        }
        #expect(seen.changes.withLock { $0.map(\.movedFolders) } == [[], [node]])
    }
}

/// A value behind a lock that closures can share.
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
