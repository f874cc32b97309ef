import CloudModel
import ContainerLog
import Testing

@Suite("Digests of trees")
struct TreeDigestTests {
    @Test("Any difference between two items changes the digest")
    func sensitive() throws {
        var log = try TestLog()
        try log.file(1, "x", 10)
        try log.edit(1, from: nil, to: 11, at: 0)
        let item = try #require(log.item(1))
        let edits: [(inout CloudItem) -> Void] = [
            { $0.parent = .documents }, { $0.name = "y" }, { $0.attributes.permissions = 0 },
            { $0.attributes.modified = .minute(99) }, { $0.attributes.created = .minute(99) },
            { $0.attributes.extended = ["a": [1]] }, { $0.body = .sample(99) },
            { $0.body = .file(.announced(size: 10)) },
            { $0.author = TestLog.c }, { $0.authorName = "z" }, { $0.conflicts = [] }, { $0.isDeleted = true },
            { $0.conflicts[0].authorName = "z" }, { $0.conflicts[0].base = .sample(4) },
            { $0.version = VersionID(sequence: LogSequence(9), index: 0) }, { $0.id = .sample(2) },
        ]
        var digests = [digest([item])]
        for edit in edits {
            var other = item
            edit(&other)
            digests.append(digest([other]))
        }
        #expect(Set(digests).count == digests.count)
    }

    @Test("The digest depends neither on the order of items nor on items that were removed")
    func additive() throws {
        var log = try TestLog()
        try log.file(1, "x", 10)
        try log.file(2, "y", 20)
        let (one, two) = (try #require(log.item(1)), try #require(log.item(2)))
        #expect(digest([one, two]) == digest([two, one]))
        var kept = digest([one, two])
        kept.remove(one)
        #expect(kept == digest([two]))
        let root = try #require(log.tree.item(.root))
        let documents = try #require(log.tree.item(.documents))
        #expect(try TreeDigest(of: log.tree) == digest([one, documents, two, root]))
    }

    private func digest(_ items: [CloudItem]) -> TreeDigest {
        var digest = TreeDigest()
        for item in items { digest.add(item) }
        return digest
    }
}
