import Basics
import CloudModel
import GRDB
import Logging
import Testing

@testable import LocalMetadata

@Suite("Numbers of new items")
struct NodeNumberTests {
    private let scratch: Scratch
    private let container: ContainerID

    init() throws {
        scratch = try Scratch()
        container = try scratch.metadata.write { try $0.createContainer(.cloudDocs, at: .zero) }
    }

    private func item(_ name: String) throws -> LocalItem {
        LocalItem(
            container: container, item: .random(), parent: .root, name: try ItemName(name), kind: .file,
            attributes: ItemAttributes(permissions: 0o644, modified: .zero, created: .zero), changed: .zero)
    }

    private func insert(_ name: String, into metadata: MetadataDatabase) throws -> NodeID {
        let item = try item(name)
        return try metadata.write { try $0.local.insert(item) }
    }

    @Test("numbers rise, and none is used twice: not after a transaction that failed, and not after a restart")
    func unique() throws {
        var used: [NodeID] = []
        for index in 0..<Int(NodeNumbers.block) + 10 { used.append(try insert("a \(index)", into: scratch.metadata)) }
        let lost = try item("lost")
        let fresh = NodeNumbers.block - 10
        // Also with a transaction that fails after reserving a block.
        for index in 0..<Int(fresh) + 10 {
            #expect(throws: Errno.self) {
                try scratch.metadata.write { transaction in
                    try transaction.local.insert(lost)
                    throw Errno(5)
                }
            }
            if index % 100 == 0 { used.append(try insert("b \(index)", into: scratch.metadata)) }
        }
        #expect(used == used.sorted() && Set(used).count == used.count)
        try scratch.metadata.close()
        let again = try MetadataDatabase(path: scratch.path, log: Logger(label: "test"))
        let next = try insert("c", into: again)
        #expect(next > used.last ?? NodeID(0))
        #expect(try again.read { try $0.rowProblems(limit: 10) }.isEmpty)
        try again.close()
    }

    @Test("a transaction that makes an item writes no page for its number")
    func cost() throws {
        let writer = scratch.metadata.connections.writer
        func rowsWritten() throws -> Int {
            try writer.inDatabase {
                try Int.fetchOne($0, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'local'") ?? 0
            }
        }
        _ = try insert("first", into: scratch.metadata)
        let before = try rowsWritten()
        for index in 0..<100 { _ = try insert("a \(index)", into: scratch.metadata) }
        #expect(try rowsWritten() == before)
    }

    @Test("a number that a damaged database has above the last one is not used again")
    func damagedSequence() throws {
        let node = try insert("a", into: scratch.metadata)
        try scratch.metadata.connections.writer.inDatabase { db in
            try db.execute(sql: "UPDATE sqlite_sequence SET seq = 15 WHERE name = 'local'")
        }
        scratch.metadata.numbers.reset()
        #expect(try insert("b", into: scratch.metadata) > node)
    }

    @Test("ids of new items are ordered by the time in milliseconds, differ, and are no well-known ones")
    func ids() {
        let first = (0..<100).map { _ in ItemID.made(at: Timestamp(seconds: 1_800_000_000)) }
        let second = (0..<100).map { _ in ItemID.made(at: Timestamp(seconds: 1_800_000_000, nanoseconds: 1_000_000)) }
        #expect(Set(first + second).count == 200)
        #expect((first.max() ?? .root) < (second.min() ?? .root))
        for time in [Timestamp(nanoseconds: .min), .zero, Timestamp(nanoseconds: .max)] {
            let id = ItemID.made(at: time)
            #expect(!id.isWellKnown && id.high >> 63 == 1)
        }
        #expect(ItemID.made(at: Timestamp(nanoseconds: .max)) > first[0])
    }
}
