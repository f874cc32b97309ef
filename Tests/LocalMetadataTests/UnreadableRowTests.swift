import Basics
import CloudModel
import Foundation
import GRDB
import Testing

@testable import LocalMetadata

@Suite("Rows that no item can have")
struct UnreadableRowTests {
    private static let damages = [
        "size = -1", "digest = x'00', layout = 1", "name = x''", "name = x'2f'", "item = x'01'", "generation = -5",
        "extended = x'ff'", "conflictOf = x''",
    ]

    @Test("unreadable rows are left out of lists and queues, which return the others", arguments: damages)
    func isolated(damage: String) throws {
        let scratch = try Scratch()
        let (folder, nodes) = try scratch.metadata.write { transaction in
            let container = try transaction.createContainer(.cloudDocs, at: .zero)
            let folder = try #require(try transaction.local.item(.documents, in: container))
            return (folder.node, try (0..<3).map { try transaction.local.insert(item($0, in: folder)) })
        }
        try scratch.metadata.withoutSeals { transaction in
            try transaction.db.execute(sql: "PRAGMA ignore_check_constraints = ON")
            try transaction.db.execute(sql: "UPDATE local SET \(damage) WHERE node = \(nodes[1].value)")
        }
        try scratch.metadata.read { transaction in
            let (items, unreadable) = try transaction.local.readableChildren(of: folder, limit: 10)
            #expect(items.map(\.node) == [nodes[0], nodes[2]])
            #expect(unreadable == [nodes[1]])
            #expect(throws: MetadataError.self) { try transaction.local.item(nodes[1]) }
            let time = Timestamp(nanoseconds: .max)
            #expect(try transaction.pending.items(before: time, limit: 10).map(\.node) == [nodes[0], nodes[2]])
            #expect(try transaction.transfers.edited(after: nil, limit: 10).map(\.node) == [nodes[0], nodes[2]])
            #expect(
                try transaction.transfers.uploadable(before: time, sizes: 0...9, limit: 10).map(\.node) == [
                    nodes[0], nodes[2],
                ])
        }
    }

    private func item(_ number: Int, in folder: LocalItem) throws -> LocalItem {
        var item = LocalItem(
            container: folder.container, item: .random(), parent: folder.node, name: try ItemName("f\(number)"),
            kind: .file,
            attributes: ItemAttributes(permissions: 0o644, modified: .zero, created: .zero), changed: .zero)
        (item.presence, item.isEdited, item.pendingSince) = (.whole, true, .zero)
        return item
    }
}
