import Basics
import CloudModel
import ContainerLog
import Testing

@Suite("Creation rules: content is always placed")
struct CreateRuleTests {
    @Test("An item in an unknown folder, or in an item that is not a folder, is placed under the root")
    func oddParents() throws {
        var log = try TestLog()
        try log.file(1, "x", 10, in: .sample(99))
        try log.file(2, "y", 11, in: .sample(1))
        #expect(log.names() == ["x", "y"])
    }

    @Test("A second creation of a file's id is an edit without a base")
    func takenID() throws {
        var log = try TestLog()
        try log.file(1, "x", 10)
        try log.append(TestLog.b, .file(1, "elsewhere", 11, in: .documents, modified: .minute(9)))
        #expect(log.contents(1) == [11, 10])
        #expect(log.names() == ["x"])
        try log.append(TestLog.c, .folder(1, "z"))
        #expect(log.contents(1) == [11, 10])
    }

    @Test("Creating the id of a deleted item restores it, at the new place with the new content")
    func tombstone() throws {
        var log = try TestLog()
        try log.file(1, "x", 10)
        try log.append(TestLog.a, .delete(1, 10))
        try log.append(TestLog.b, .file(1, "y", 11, in: .documents))
        #expect(log.names(in: .documents) == ["y"])
        #expect(log.contents(1) == [11])
    }

    @Test("A deleted folder that is created again below itself is restored at its old place")
    func belowItself() throws {
        var log = try TestLog()
        try log.append(TestLog.a, .folder(1, "d"), .folder(2, "e", in: .sample(1)))
        try log.append(TestLog.a, .delete(2), .delete(1))
        try log.append(TestLog.a, .folder(1, "d", in: .sample(2)))
        #expect(log.names() == ["d"])
        #expect(log.item(1)?.parent == .root)
    }

    @Test("Well-known ids cannot be created")
    func wellKnown() throws {
        var log = try TestLog()
        let before = try TreeDigest(of: log.tree)
        for low in UInt64(0)...3 {
            try log.append(
                TestLog.a,
                .create(
                    ItemID(high: 0, low: low), parent: .root, name: "w", attributes: .sample(), body: .folder))
        }
        #expect(try TreeDigest(of: log.tree) == before)
    }
}
