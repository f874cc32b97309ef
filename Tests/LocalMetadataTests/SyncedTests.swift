import Basics
import CloudModel
import ContainerLog
import LocalMetadata
import Testing

@Suite("The state that both sides agreed on")
struct SyncedTests {
    private let scratch: Scratch
    private let container: ContainerID
    private let id = ItemID(high: 1 << 63, low: 3)

    init() throws {
        scratch = try Scratch()
        container = try scratch.metadata.write { try $0.createContainer(.cloudDocs, at: .zero) }
    }

    private func item(_ name: String) throws -> CloudItem {
        CloudItem(
            id: id, parent: .documents, name: try ItemName(name),
            attributes: ItemAttributes(permissions: 0o644, modified: .zero, created: .zero), body: .folder,
            version: VersionID(sequence: LogSequence(1), index: 0), author: DeviceID(1), authorName: "d")
    }

    private func put(_ item: CloudItem, _ transaction: MetadataTransaction) throws {
        var tree = transaction.remote(in: container)
        try tree.put(item)
    }

    @Test("an item that was never followed has no agreed state and is unsettled until it is settled")
    func absent() throws {
        try scratch.metadata.write { transaction throws -> Void in
            try put(item("a"), transaction)
            #expect(try transaction.synced.item(id, in: container) == nil)
            #expect(try transaction.synced.unsettled(in: container, limit: 9) == [id])
            try transaction.synced.settle(id, in: container)
            #expect(try transaction.synced.item(id, in: container) == item("a"))
            #expect(try transaction.synced.unsettled(in: container, limit: 9).isEmpty)
        }
    }

    @Test("when an item changes twice in the log, the agreed state is the one before the first change")
    func kept() throws {
        try scratch.metadata.write { transaction throws -> Void in
            try put(item("a"), transaction)
            try transaction.synced.settle(id, in: container)
            try put(item("b"), transaction)
            try put(item("c"), transaction)
            #expect(try transaction.synced.item(id, in: container) == item("a"))
            try transaction.synced.set(item("b"), in: container)
            #expect(try transaction.synced.item(id, in: container) == item("b"))
        }
    }

    @Test("an agreed absence survives a return of the item in the log")
    func gone() throws {
        try scratch.metadata.write { transaction throws -> Void in
            try put(item("a"), transaction)
            try transaction.synced.setAbsent(id, in: container)
            try put(item("b"), transaction)
            #expect(try transaction.synced.item(id, in: container) == nil)
        }
    }

    @Test("a transaction that throws leaves nothing behind")
    func rollback() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try scratch.metadata.write { transaction throws -> Void in
                try put(item("a"), transaction)
                throw Stop()
            }
        }
        #expect(try scratch.metadata.read { try $0.remote(in: container).item(id) } == nil)
    }
}
