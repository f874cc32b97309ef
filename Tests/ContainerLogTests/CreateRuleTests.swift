import Basics
import CloudModel
import ContainerLog
import Testing

@Suite("Creations: content is placed, whatever else is wrong")
struct CreateRuleTests {
    @Test("In an unknown folder, or in what is no folder, an item is placed under the root")
    func oddParents() throws {
        var log = try TestLog()
        try log.file(1, "x", 10, in: .sample(99))
        try log.file(2, "y", 11, in: .sample(1))
        #expect(log.names() == ["x", "y"])
    }

    @Test("A second creation of a file's id is an edit that saw nothing")
    func takenID() throws {
        var log = try TestLog()
        try log.file(1, "x", 10)
        try log.append(TestLog.b, .file(1, "elsewhere", 11, in: .documents, modified: .minute(9)))
        #expect(log.contents(1) == [11, 10])
        #expect(log.names() == ["x"])
        try log.append(TestLog.c, .folder(1, "z"))
        #expect(log.contents(1) == [11, 10])
    }

    @Test("Creating the id of a deleted item brings it back, at the new place with the new content")
    func tombstone() throws {
        var log = try TestLog()
        try log.file(1, "x", 10)
        try log.append(TestLog.a, .delete(1, 10))
        try log.append(TestLog.b, .file(1, "y", 11, in: .documents))
        #expect(log.names(in: .documents) == ["y"])
        #expect(log.contents(1) == [11])
    }

    @Test("A deleted folder created again below itself comes back where it was")
    func belowItself() throws {
        var log = try TestLog()
        try log.append(TestLog.a, .folder(1, "d"), .folder(2, "e", in: .sample(1)))
        try log.append(TestLog.a, .delete(2), .delete(1))
        try log.append(TestLog.a, .folder(1, "d", in: .sample(2)))
        #expect(log.names() == ["d"])
        #expect(log.item(1)?.parent == .root)
    }

    @Test("Well-known ids can not be created")
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
