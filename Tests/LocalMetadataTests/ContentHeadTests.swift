import Basics
import CloudModel
import TestSupport
import Testing

@testable import LocalMetadata

@Suite("Heads of documents whose names do not say their types")
struct ContentHeadTests {
    private let digest = Digest(words: (1, 2, 3, 4))

    private func item(
        _ head: ContentHead?, content: Digest? = nil, size: UInt64 = 1 << 20, kind: LocalKind = .file
    ) throws -> LocalItem {
        var item = LocalItem(
            container: ContainerID(1), item: ItemID(high: 1, low: 2), parent: NodeID(2), name: try ItemName("note"),
            kind: kind, attributes: ItemAttributes(permissions: 0o644, modified: .zero, created: .zero), changed: .zero)
        item.size = size
        item.content = ContentReference(digest: content ?? digest, size: size, layout: .manifest)
        item.head = head
        return item
    }

    @Test("the attribute decodes to the head that it was made of, and anything else to none")
    func coding() {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        for length in 0...(32 + ContentHead.maximumBytes + 40) {
            let bytes = generator.bytes(length)
            let head = ContentHead(bytes)
            #expect((head != nil) == (33...32 + ContentHead.maximumBytes ~= length), "\(length) bytes, seed \(seed)")
            if let head { #expect(head.attribute == bytes, "seed \(seed)") }
        }
    }

    @Test("an item has the head of its content, and that of another content is none")
    func binding() throws {
        let head = ContentHead(of: digest, bytes: [1, 2, 3])
        #expect(try item(head).head == head)
        #expect(try item(head, content: Digest(words: (4, 3, 2, 1))).head == nil)
        #expect(try item(head, size: 2).head == nil, "a head is not longer than its document")
        #expect(try item(head, kind: .folder).head == nil)
        var cleared = try item(head)
        cleared.head = nil
        #expect(cleared.attributes.extended.isEmpty)
    }

    @Test("a head takes no room that the attributes of programs could need")
    func room() throws {
        var crowded = try item(nil)
        crowded.attributes.extended["user.large"] = [UInt8](repeating: 0, count: 40_000)
        crowded.head = ContentHead(of: digest, bytes: [1])
        #expect(crowded.head == nil)
    }

    @Test(
        "names without an extension, or with one that has no letter, need a head",
        arguments: ["note", ".bashrc", "report.2024", "libc.6", "end."])
    func needed(name: String) throws {
        #expect(ContentHead.isNeeded(by: try ItemName(name), size: 1 << 20))
        #expect(!ContentHead.isNeeded(by: try ItemName(name), size: ContentHead.smallestDocument - 1))
    }

    @Test("names with an extension need none", arguments: ["a.txt", "a.JPG", "a.7z", "a.tar.gz", "a.длина"])
    func unneeded(name: String) throws { #expect(!ContentHead.isNeeded(by: try ItemName(name), size: 1 << 20)) }
}
