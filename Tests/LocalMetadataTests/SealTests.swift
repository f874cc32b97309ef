import Basics
import CloudModel
import ContainerLog
import Foundation
import GRDB
import Logging
import TestSupport
import Testing

@testable import LocalMetadata

@Suite("Rows are sealed")
struct SealTests {
    private static func fill(_ metadata: MetadataDatabase) throws { try metadata.write(fill) }

    private static func fill(_ transaction: MetadataTransaction) throws {
        let container = try transaction.createContainer(.cloudDocs, at: .zero)
        var tree = transaction.remote(in: container)
        guard let documents = try transaction.local.item(.documents, in: container) else { return }
        for number in 0..<60 {
            let id = ItemID(high: 1 << 63, low: UInt64(number))
            let attributes = ItemAttributes(
                permissions: 0o644, modified: .zero, created: .zero, extended: ["user.n": [UInt8(number)]])
            let name = try ItemName("document \(number)")
            try tree.put(
                CloudItem(
                    id: id, parent: .documents, name: name, attributes: attributes,
                    body: .file(.announced(size: 9)), version: VersionID(sequence: LogSequence(1), index: 0),
                    author: DeviceID(1), authorName: "desk"))
            var item = LocalItem(
                container: container, item: id, parent: documents.node, name: name, kind: .file,
                attributes: attributes, changed: .zero)
            item.pendingSince = number % 3 == 0 ? .zero : nil
            try transaction.local.insert(item)
        }
        try transaction.pending.setBatch([1, 2, 3], of: BatchAuthor(device: DeviceID(7), number: 4), in: container)
        try transaction.setManifest([4, 5, 6], for: Digest(words: (1, 2, 3, 4)))
        try transaction.setSetting("device", Data("0001".utf8))
    }

    private func problems(_ metadata: MetadataDatabase) throws -> [RowProblem] {
        try metadata.sealProblems(limit: 10).map(\.problem)
    }

    @Test("all rows that this program wrote are sealed, however they changed since")
    func sound() throws {
        let scratch = try Scratch()
        try Self.fill(scratch.metadata)
        try scratch.metadata.write { transaction in
            var item = try #require(try transaction.local.item(NodeID(20)))
            item.name = try ItemName("another name")
            item.size = 77
            try transaction.local.update(item)
            try transaction.local.touch(item.parent, at: Timestamp(nanoseconds: 5))
            _ = try transaction.local.renumber(NodeID(21))
            try transaction.synced.settle(item.item, in: item.container)
        }
        #expect(try problems(scratch.metadata).isEmpty)
    }

    @Test(
        "a changed value is found with its document, in every table",
        arguments: [
            ("local", "permissions = permissions + 1"), ("remote", "name = CAST('elsewhere' AS BLOB)"),
            ("local", "extended = x'00'"), ("synced", "kind = 2"),
        ])
    func found(table: String, change: String) throws {
        let scratch = try Scratch()
        try Self.fill(scratch.metadata)
        let item = try #require(try scratch.metadata.read { try $0.local.item(NodeID(20)) })
        // Afterwards the row's seal belongs to a different value, as after a flipped byte.
        try damage(scratch, "UPDATE \(table) SET \(change) WHERE item = x'\(item.item)'")
        let found = try problems(scratch.metadata)
        #expect(found.count == 1 && found.first?.node == NodeID(20), "\(found)")
        #expect(found.first?.what == "its row in \"\(table)\" does not match its checksum")
        #expect(scratch.metadata.firstProblem() != nil, "a sweep would trust the damaged row")
    }

    private func damage(_ scratch: Scratch, _ sql: String) throws {
        try scratch.metadata.withoutSeals { transaction in _ = try transaction.number(sql) }
    }

    @Test("a byte that changes under an open database is found, although its connections have cached the page")
    func inUse() throws {
        let scratch = try Scratch()
        try Self.fill(scratch.metadata)
        try scratch.metadata.closeWhole()
        let metadata = try MetadataDatabase(path: scratch.path, log: Logger(label: "test"))
        defer { try? metadata.close() }
        for _ in 0..<8 { _ = try metadata.read { try $0.local.items(after: NodeID(0), limit: 100) } }
        let bytes = try Data(contentsOf: URL(filePath: scratch.path))
        let place = try #require(bytes.ranges(of: Data("document 41".utf8)).last)
        let file = try FileHandle(forUpdating: URL(filePath: scratch.path))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(place.upperBound - 1))
        try file.write(contentsOf: Data([UInt8(ascii: "?")]))
        #expect(try isNoticed(metadata))
    }

    @Test("a flipped byte anywhere in the file is refused, found, or changes no stored value")
    func anyByte() throws {
        let scratch = try Scratch()
        try Self.fill(scratch.metadata)
        try scratch.metadata.closeWhole()
        let image = try Data(contentsOf: URL(filePath: scratch.path))
        let contents = try dump(scratch.path)
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed), \(image.count) bytes")
        var random = SeededGenerator(seed: seed)
        var (found, unused) = (0, 0)
        // Leaves out the free pages reserved for a full disk.
        let pages = stride(from: 0, to: image.count, by: 4096).filter { image[$0..<$0 + 4096].contains { $0 != 0 } }
        for _ in 0..<250 {
            let place = pages[random.number(0..<pages.count)] + random.number(0..<4096)
            let change = UInt8(random.number(1..<256))
            var damaged = image
            damaged[damaged.startIndex + place] ^= change
            try damaged.write(to: URL(filePath: scratch.path))
            if isNoticed(scratch.path) {
                found += 1
            } else {
                #expect(try dump(scratch.path) == contents, "seed \(seed): byte \(place) ^ \(change) was not found")
                unused += 1
            }
        }
        #expect(found > unused / 12, "\(found) found, \(unused) unused: hardly any byte was in use")
    }

    private func isNoticed(_ path: String) -> Bool {
        do {
            let metadata = try MetadataDatabase(path: path, log: Logger(label: "test"))
            defer { try? metadata.close() }
            return try isNoticed(metadata)
        } catch { return true }
    }

    private func isNoticed(_ metadata: MetadataDatabase) throws -> Bool {
        try !metadata.integrityProblems().isEmpty || !problems(metadata).isEmpty
    }

    /// Returns all values of the tables.
    private func dump(_ path: String) throws -> [String] {
        let metadata = try MetadataDatabase(path: path, log: Logger(label: "test"))
        defer { try? metadata.close() }
        return try metadata.read { try $0.everything() }
    }

    @Test("a database from before seals gets them, and keeps all that it held")
    func migration() throws {
        let scratch = try Scratch()
        let path = "\(scratch.path)-old"
        let old = try DatabaseQueue(path: path)
        try Schema.migrator.migrate(old, upTo: "covering indexes")
        try old.write { try Self.fill(MetadataTransaction($0)) }
        let before = try old.read { try MetadataTransaction($0).everything() }
        try old.close()
        let metadata = try MetadataDatabase(path: path, log: Logger(label: "test"))
        defer { try? metadata.close() }
        let after = try metadata.read { try $0.everything() }
        #expect(Set(before).isSubset(of: after), "\(Set(before).subtracting(after))")
        #expect(try problems(metadata).isEmpty && metadata.integrityProblems().isEmpty)
    }
}
