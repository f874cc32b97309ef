import Basics
import CloudModel
import ContainerLog
import Testing

@Suite("Move rules: an item keeps its identity")
struct MoveRuleTests {
    private func log() throws -> TestLog {
        var log = try TestLog()
        try log.folder(1, "one")
        try log.folder(2, "two")
        try log.file(3, "x.txt", 10, in: .sample(1))
        return log
    }

    @Test("A file moved on one device and edited on another is one file, edited, at the new place")
    func moveAndEdit() throws {
        var log = try log()
        try log.append(TestLog.a, .move(3, to: .sample(2), "y.txt"))
        try log.edit(3, from: 10, to: 11, at: 4, by: TestLog.b)
        #expect(log.names(in: .sample(1)).isEmpty)
        #expect(log.names(in: .sample(2)) == ["y.txt"])
        #expect(log.contents(3) == [11])
    }

    @Test("Of two moves of one item the later in the log wins")
    func twoMoves() throws {
        var log = try log()
        try log.append(TestLog.a, .move(3, to: .sample(2), "a.txt"))
        try log.append(TestLog.b, .move(3, to: .root, "b.txt"))
        #expect(log.names(in: .sample(2)).isEmpty)
        #expect(log.names() == ["b.txt", "one", "two"])
    }

    @Test("Of two moves that would form a cycle the later has no effect")
    func circle() throws {
        var log = try log()
        try log.append(TestLog.a, .move(1, to: .sample(2), "one"))
        let result = try log.append(TestLog.b, .move(2, to: .sample(1), "two"))
        #expect(result.touched.isEmpty)
        #expect(log.names() == ["two"])
        #expect(log.names(in: .sample(2)) == ["one"])
    }

    @Test("A move into itself, below itself, into a file or into an unknown folder has no effect")
    func voidMoves() throws {
        var log = try log()
        try log.folder(4, "sub", in: .sample(1))
        let before = try TreeDigest(of: log.tree)
        for target in [UInt64(1), 4, 3, 99] {
            try log.append(TestLog.a, .move(1, to: .sample(target), "z"))
        }
        try log.append(TestLog.a, .move(.documents, parent: .sample(1), name: "z"))
        try log.append(TestLog.a, .move(.root, parent: .sample(1), name: "z"))
        #expect(try TreeDigest(of: log.tree) == before)
    }

    @Test("A move into a deleted folder restores the folder")
    func intoDeletedFolder() throws {
        var log = try log()
        try log.append(TestLog.b, .delete(2))
        let result = try log.append(TestLog.a, .move(3, to: .sample(2), "x.txt"))
        #expect(log.names(in: .sample(2)) == ["x.txt"])
        #expect(result.touched == [.sample(2), .sample(3)])
    }

    @Test("A move below itself restores no deleted folder either")
    func voidMoveRevivesNothing() throws {
        var log = try log()
        try log.append(TestLog.a, .folder(4, "sub", in: .sample(2)), .delete(4))
        try log.append(TestLog.b, .move(2, to: .sample(4), "two"))
        #expect(!log.isLive(4))
        #expect(log.names() == ["one", "two"])
    }

    @Test("A folder that is moved into a deleted folder whose name it has taken is merged with it")
    func intoOwnPredecessor() throws {
        var log = try TestLog()
        try log.append(TestLog.a, .folder(1, "d"), .delete(1))
        try log.append(TestLog.a, .folder(2, "d"), .file(3, "x", 10, in: .sample(2)))
        let result = try log.append(TestLog.b, .move(2, to: .sample(1), "inner"))
        #expect(result.merged == [.init(from: .sample(1), into: .sample(2))])
        #expect(log.names() == ["d"])
        #expect(log.names(in: .sample(2)) == ["x"])
    }

    @Test("A folder that was seen empty is not deleted if an item was moved into it")
    func deleteAgainstMoveIn() throws {
        var log = try log()
        try log.append(TestLog.a, .move(3, to: .sample(2), "x.txt"))
        try log.append(TestLog.b, .delete(2))
        #expect(log.names(in: .sample(2)) == ["x.txt"])
    }

    @Test("A file moved to a taken name gets another name, whether its bytes are equal or not")
    func fileCollision() throws {
        var log = try log()
        try log.file(4, "x.txt", 10, in: .sample(2))
        try log.append(TestLog.a, .move(3, to: .sample(2), "x.txt"))
        #expect(log.names(in: .sample(2)) == ["x 2.txt", "x.txt"])
        let again = try log.append(TestLog.a, .move(3, to: .sample(2), "x.txt"))
        #expect(again.touched.isEmpty)
    }

    @Test("A folder moved to the name of a folder is merged with it, and so are equal items inside")
    func folderCollision() throws {
        var log = try log()
        try log.append(
            TestLog.a, .folder(4, "deep", in: .sample(1)), .file(5, "f", 50, in: .sample(4)),
            .folder(6, "deep", in: .sample(2)), .file(7, "f", 50, in: .sample(6)), .file(8, "x.txt", 80, in: .sample(2))
        )
        let result = try log.append(TestLog.b, .move(1, to: .root, "two"))
        #expect(log.names() == ["two"])
        #expect(log.names(in: .sample(2)) == ["deep", "x 2.txt", "x.txt"])
        #expect(log.names(in: .sample(6)) == ["f"])
        #expect(
            result.merged == [
                .init(from: .sample(1), into: .sample(2)), .init(from: .sample(4), into: .sample(6)),
                .init(from: .sample(5), into: .sample(7)),
            ])
    }

    @Test("A folder moved to the name of its own parent is merged with the parent")
    func ontoOwnParent() throws {
        var log = try TestLog()
        try log.append(
            TestLog.a, .folder(1, "a"), .folder(2, "a", in: .sample(1)), .folder(3, "a", in: .sample(2)),
            .file(4, "f", 10, in: .sample(3)))
        try log.append(TestLog.b, .move(2, to: .root, "a"))
        #expect(log.names() == ["a"])
        #expect(log.names(in: .sample(1)) == ["a"])
        #expect(log.names(in: .sample(3)) == ["f"])
    }

    @Test("Conflict versions of equal files are kept together when the files are merged")
    func conflictsUnite() throws {
        var log = try log()
        try log.file(4, "x.txt", 10, in: .sample(2))
        try log.edit(3, from: nil, to: 31, at: 1)
        try log.edit(3, from: nil, to: 32, at: 0)
        try log.edit(4, from: nil, to: 31, at: 0)
        try log.edit(4, from: 10, to: 31, at: 0)
        try log.edit(4, from: nil, to: 33, at: -1)
        try log.edit(3, from: 10, to: 31, at: 9)
        #expect(log.contents(3).first == 31)
        try log.append(TestLog.b, .move(1, to: .root, "two"))
        #expect(Set(log.contents(4)) == [31, 32, 33])
    }
}
