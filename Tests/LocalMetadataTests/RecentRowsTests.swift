import Basics
import CloudModel
import GRDB
import TestSupport
import Testing

@testable import LocalMetadata

@Suite("Rows in memory")
struct RecentRowsTests {
    private struct Undone: Error {}

    private let scratch: Scratch
    private let container: ContainerID
    private let documents: NodeID

    init() throws {
        let scratch = try Scratch()
        self.scratch = scratch
        let container = try scratch.metadata.write { try $0.createContainer(.cloudDocs, at: .zero) }
        self.container = container
        documents = try #require(
            try scratch.metadata.read { try $0.local.item(.documents, in: container)?.node })
    }

    private func item(_ name: String, _ kind: LocalKind, in folder: NodeID) throws -> LocalItem {
        LocalItem(
            container: container, item: .random(), parent: folder, name: try ItemName(name), kind: kind,
            attributes: ItemAttributes(permissions: 0o644, modified: .zero, created: .zero), changed: .zero)
    }

    /// Returns a row as the table has it.
    private func stored(_ node: NodeID, _ transaction: MetadataTransaction) throws -> LocalItem? {
        try transaction.local.fetchOne(LocalItem.query, [Int64(bitPattern: node.value)])
    }

    /// Changes one of `nodes` in one of the ways in which rows change, and returns the existing nodes.
    private func change(
        _ nodes: [NodeID], _ transaction: MetadataTransaction, _ random: inout SeededGenerator
    ) throws -> [NodeID] {
        let tree = transaction.local
        guard let node = random.pick(nodes), var item = try tree.item(node) else { return nodes }
        let time = Timestamp(seconds: Int64(random.number(0..<1_000_000)))
        switch random.number(0..<10) {
        case 0, 1:
            let kind = random.pick([LocalKind.file, .folder, .symlink]) ?? .file
            let name = "\(random.next())\(random.pick(["", ".txt", ".app"]) ?? "")"
            return nodes + [try tree.insert(try self.item(name, kind, in: documents))]
        case 2, 3:
            item.size = UInt64(random.number(0..<Int.max))
            item.user = random.chance(50) ? UInt32.max : nil
            item.accessed = random.chance(50) ? time : nil
            item.attributes.extended = random.chance(50) ? ["user.x": random.bytes(random.number(0..<2000))] : [:]
            item.uploadError = random.chance(50) ? "refused" : nil
            item.changed = time
            try tree.update(item)
        case 4:
            item.name = try ItemName("\(random.next())\(random.pick(["", ".app"]) ?? "")")
            try tree.update(item)
        case 5: try tree.touch(node, at: time)
        case 6: try transaction.transfers.setUsed([node: time])
        case 7:
            try tree.remove(node)
            return nodes.filter { $0 != node }
        case 8:
            // Like an undone deletion: the row is removed, and inserted again under its number.
            try tree.remove(node)
            try tree.restore(item)
        default:
            guard let other = random.pick(nodes), try tree.item(other)?.kind == .folder, item.kind == .folder else {
                return nodes
            }
            if try !tree.isInside(node, other) { try tree.moveChildren(of: other, to: node) }
        }
        return nodes
    }

    @Test(
        "after any changes, of which some are undone, the rows in memory are those of the database", arguments: 1...12)
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let metadata = scratch.metadata
        var nodes = [documents]
        for _ in 0..<120 {
            var after = nodes
            do {
                try metadata.write { transaction in
                    for _ in 0..<random.number(1..<6) {
                        after = try change(after, transaction, &random)
                        for node in after {
                            let (known, row) = (try transaction.local.item(node), try stored(node, transaction))
                            #expect(known == row, "seed \(seed)")
                        }
                    }
                    if random.chance(20) { throw Undone() }
                }
                nodes = after.contains(documents) ? after : [documents]
            } catch is Undone {}
            if try metadata.item(documents) == nil { return }
            if let node = random.pick(nodes) {
                let row = try metadata.read { try $0.local.item(node) }
                #expect(try metadata.item(node) == row, "seed \(seed)")
            }
            #expect(try metadata.staleRows() == [], "seed \(seed)")
        }
    }

    @Test("a row that was just written or read needs no transaction, and one that changed in between is not kept")
    func kept() throws {
        let metadata = scratch.metadata
        func look(_ node: NodeID) throws -> (item: LocalItem?, reads: UInt64) {
            try RequestCosts.$isServing.withValue(true) {
                let before = metadata.costs[.reads]
                return (try metadata.item(node), metadata.costs[.reads] - before)
            }
        }
        let file = try item("a", .file, in: documents)
        let node = try metadata.write { try $0.local.insert(file) }
        let first = try look(node)
        #expect(first.item?.name == file.name && first.reads == 0)
        try metadata.write { try $0.transfers.setUsed([node: Timestamp(seconds: 1)]) }
        let used = try look(node)
        #expect(used.item?.used == Timestamp(seconds: 1) && used.reads == 0)
        // A statement that does not give the row's resulting value.
        let change = "UPDATE local SET used = 2000000000 WHERE node = ?"
        try metadata.write { try $0.db.perform(change, [Int64(node.value)]) }
        for reads in [1, 0] as [UInt64] {
            let next = try look(node)
            #expect(next.item?.used == Timestamp(seconds: 2) && next.reads == reads)
        }

        let (old, number) = (try #require(try metadata.item(node)), metadata.snapshot)
        try metadata.write { try $0.transfers.setUsed([node: Timestamp(seconds: 2)]) }
        metadata.recentRows.keep(old) { metadata.snapshot == number }
        #expect(try metadata.item(node)?.used == Timestamp(seconds: 2))
    }

    @Test("a row with much in it is not kept, and of many rows the latest are")
    func bounded() throws {
        let metadata = scratch.metadata
        var large = try item("large", .file, in: documents)
        large.attributes.extended = ["user.x": [UInt8](repeating: 1, count: 4096)]
        let node = try metadata.write { try $0.local.insert(large) }
        #expect(metadata.recentRows[node] == nil)
        var last = node
        for batch in 0..<60 {
            try metadata.write { transaction in
                for index in 0..<100 {
                    last = try transaction.local.insert(item("\(batch) \(index)", .file, in: documents))
                }
            }
        }
        #expect(metadata.recentRows[last] != nil && metadata.recentRows.all.count <= 4096)
    }

    @Test("a look-up in a database that was closed is an error")
    func closed() throws {
        let metadata = scratch.metadata
        try metadata.close()
        #expect(throws: MetadataError.self) { try metadata.item(NodeID(1 << 40)) }
        #expect(throws: MetadataError.self) { try metadata.item(named: try ItemName("a"), in: documents) }
    }

    @Test("folders become packages for those who have just read them")
    func packages() throws {
        let metadata = scratch.metadata
        let folder = try item("a.set", .folder, in: documents)
        let node = try metadata.write { try $0.local.insert(folder) }
        #expect(try metadata.item(node)?.isPackage == false)
        try metadata.write { transaction in
            var root = try #require(try transaction.local.item(.root, in: container))
            root.attributes.extended[ReservedAttribute.packageType("set")] = [1]
            try transaction.local.update(root)
            #expect(try transaction.local.item(node)?.isPackage == true)
        }
        #expect(try metadata.item(node)?.isPackage == true)
    }
}
