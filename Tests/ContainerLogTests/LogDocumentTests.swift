import Basics
import CloudModel
import ContainerLog
import Foundation
import TestSupport
import Testing

/// `docs/LOG.md` is the specification for independent implementations.
@Suite("docs/LOG.md: the bytes of an entry")
struct LogDocumentTests {
    private static func document() throws -> String {
        var file = URL(filePath: #filePath)
        for _ in 0..<3 { file.deleteLastPathComponent() }
        return try String(contentsOf: file.appending(path: "docs/LOG.md"), encoding: .utf8)
    }

    private static func encoded(_ changes: [Change], collection: UInt64 = 0) throws -> [UInt8] {
        try ChangeBatch(
            device: TestLog.a, deviceName: "d", deviceSequence: 1, time: .zero, collection: collection, changes: changes
        ).encoded()
    }

    @Test(
        "each change begins with the byte that the table gives",
        arguments: [
            ("create", .folder(2, "d")), ("edit", .edit(1, from: nil, to: 12, at: 5)),
            ("move", .move(1, to: .documents, "y")), ("set attributes", .setAttributes(.sample(1), AttributeChanges())),
            ("delete", .delete(2)), ("resolve", .resolve(.sample(1), versions: [])), ("raise rules", .raiseRules(2)),
            ("set value", .setValue(key: "k", value: nil, time: .zero)),
            ("collection", .collection(.begun(epoch: 1))),
        ] as [(String, Change)])
    func change(name: String, change: Change) throws {
        // A batch without changes ends with their count.
        let collection: UInt64 = if case .collection = change { 1 } else { 0 }
        let tag = try Self.encoded([change], collection: collection)[
            Self.encoded([], collection: collection).count]
        #expect(try Self.document().contains("| \(name) | \(tag) |"))
    }

    @Test(
        "each body has the code that the text gives",
        arguments: [
            (.folder, "folder"), (.file(.announced(size: 1)), "file and content"),
            (.symlink(target: [0x2E]), "symlink and counted target"),
        ] as [(ItemBody, String)])
    func body(_ body: ItemBody, name: String) throws {
        let attributes = ItemAttributes(permissions: 0, modified: .zero, created: .zero)
        let create = { (body: ItemBody) -> Change in
            .create(.sample(1), parent: .root, name: "n", attributes: attributes, body: body)
        }
        // A folder's body is only its code, the last byte of the batch.
        let code = try Self.encoded([create(body)])[Self.encoded([create(.folder)]).count - 1]
        let text = try Self.document().split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(text.contains("\(code) \(name)"))
    }
}
