import Basics
import CloudModel
import ContainerLog
import LocalMetadata
import Testing

@Suite("Wanted downloads")
struct WantedTests {
    @Test(
        "a folder has something wanted below it until the last download there has ended, whatever is wanted elsewhere")
    func below() throws {
        let scratch = try Scratch()
        try scratch.metadata.write { transaction throws -> Void in
            let container = try transaction.createContainer(.cloudDocs, at: .zero)
            let documents = try #require(try transaction.local.item(.documents, in: container)).node
            func insert(_ number: UInt64, in parent: NodeID, kind: LocalKind) throws -> LocalItem {
                var item = LocalItem(
                    container: container, item: ItemID(high: 1 << 63, low: number), parent: parent,
                    name: try ItemName("\(number)"), kind: kind,
                    attributes: ItemAttributes(permissions: 0o644, modified: .zero, created: .zero), changed: .zero)
                item.wanted = kind == .file ? 100 : 0
                item.node = try transaction.local.insert(item)
                return item
            }
            let folder = try insert(1, in: documents, kind: .folder)
            var file = try insert(2, in: insert(3, in: folder.node, kind: .folder).node, kind: .file)
            _ = try insert(4, in: documents, kind: .file)
            #expect(
                try transaction.transfers.isAnyWanted(below: folder.node)
                    && transaction.transfers.isAnyWanted(below: file.node))
            file.wanted = 0
            try transaction.local.update(file)
            #expect(try !transaction.transfers.isAnyWanted(below: folder.node))
            #expect(try transaction.transfers.isAnyWanted(below: documents))
        }
    }
}
