import Basics
import CloudModel
import ContainerLog
import Testing

@Suite("Name rules: names in a folder are unique")
struct NameRuleTests {
    @Test("The later of two files with one name gets another, the first that is free")
    func files() throws {
        var log = try TestLog()
        try log.file(1, "a.txt", 10, by: TestLog.a)
        try log.file(2, "a.txt", 11, by: TestLog.b)
        try log.file(3, "a.txt", 12, by: TestLog.c)
        #expect(log.item(1)?.name == "a.txt")
        #expect(log.item(2)?.name == "a 2.txt")
        #expect(log.item(3)?.name == "a 3.txt")
    }

    @Test("A file, a folder and a link with one name are three items")
    func kinds() throws {
        var log = try TestLog()
        try log.file(1, "a", 10)
        try log.folder(2, "a")
        try log.append(
            TestLog.a,
            .create(.sample(3), parent: .root, name: "a", attributes: .sample(), body: .symlink(target: [1])))
        #expect(log.names() == ["a", "a 2", "a 3"])
    }

    @Test("Equal new files are merged, and changes of either id apply to the merged file")
    func equalFiles() throws {
        var log = try TestLog()
        try log.file(1, "a.txt", 10, by: TestLog.a)
        try log.append(TestLog.b, .file(2, "a.txt", 10, modified: .minute(90)))
        #expect(log.names() == ["a.txt"])
        #expect(log.tree.alias(of: .sample(2)) == .sample(1))
        #expect(log.item(1)?.attributes.modified == .minute(1))
        try log.edit(2, from: 10, to: 11, at: 5, by: TestLog.b)
        try log.append(TestLog.b, .move(2, to: .documents, "b.txt"))
        #expect(log.contents(1) == [11])
        #expect(log.names(in: .documents) == ["b.txt"])
    }

    @Test("Equal new links are merged, different ones are not")
    func links() throws {
        var log = try TestLog()
        for (id, target) in [(UInt64(1), UInt8(7)), (2, 7), (3, 8)] {
            try log.append(
                TestLog.a,
                .create(.sample(id), parent: .root, name: "l", attributes: .sample(), body: .symlink(target: [target])))
        }
        #expect(log.names() == ["l", "l 2"])
    }

    @Test("Folders with one name are merged; the earlier keeps its id and attributes")
    func folders() throws {
        var log = try TestLog()
        try log.folder(1, "d", by: TestLog.a)
        try log.file(2, "x", 10, in: .sample(1), by: TestLog.a)
        let result = try log.append(
            TestLog.b, .folder(3, "d"), .file(4, "x", 11, in: .sample(3)), .folder(5, "sub", in: .sample(3)))
        #expect(result.merged == [.init(from: .sample(3), into: .sample(1))])
        #expect(log.names(in: .sample(1)) == ["sub", "x", "x 2"])
        #expect(log.item(4)?.parent == .sample(1))
    }

    @Test("A folder named Documents is the well-known one")
    func documents() throws {
        var log = try TestLog()
        try log.append(TestLog.a, .folder(1, "Documents"), .file(2, "x", 10, in: .sample(1)))
        #expect(log.names(in: .documents) == ["x"])
    }

    @Test("Packages with one name are two documents")
    func packages() throws {
        var log = try TestLog()
        try log.folder(1, "Talk.key", by: TestLog.a)
        try log.folder(2, "Talk.key", by: TestLog.b)
        #expect(log.names() == ["Talk 2.key", "Talk.key"])
        #expect(PackageTypes.isPackage("Talk.KEY"))
        #expect(!PackageTypes.isPackage("key"))
        #expect(!PackageTypes.isPackage(".key"))
    }

    @Test("In a container that folds names, names that differ in case or composition are equal")
    func folding() throws {
        var log = try TestLog(foldsNames: true)
        try log.file(1, "Caf\u{E9}.txt", 10)
        try log.file(2, "CAFE\u{301}.TXT", 11)
        #expect(log.item(1)?.name == "Caf\u{E9}.txt")
        #expect(log.item(2)?.name == "CAFE\u{301} 2.TXT")

        var exact = try TestLog()
        try exact.file(1, "Caf\u{E9}.txt", 10)
        try exact.file(2, "CAFE\u{301}.TXT", 11)
        #expect(exact.item(2)?.name == "CAFE\u{301}.TXT")
    }

    @Test("A rename that changes only case is a rename")
    func caseOnly() throws {
        var log = try TestLog(foldsNames: true)
        try log.file(1, "readme.md", 10)
        try log.append(TestLog.a, .move(1, to: .root, "README.md"))
        #expect(log.names() == ["README.md"])
    }

    @Test("The longest names still get a free name")
    func longNames() throws {
        var log = try TestLog()
        let name = try ItemName(String(repeating: "\u{E9}", count: 125) + ".text")
        for id in UInt64(1)...12 { try log.file(id, name, id) }
        #expect(log.names().count == 12)
    }

    @Test(
        "Two new files that were announced under one name are merged when their bytes turn out equal",
        arguments: [1, 2])
    func announcedTwins(completedFirst: UInt64) throws {
        var log = try TestLog()
        try log.append(TestLog.a, .announcement(1, "x.txt", size: 7))
        try log.append(TestLog.b, .announcement(2, "x.txt", size: 7))
        #expect(log.names() == ["x 2.txt", "x.txt"])
        try log.edit(completedFirst, from: nil, to: 10, at: 1)
        #expect(log.names() == ["x 2.txt", "x.txt"])
        let result = try log.edit(3 - completedFirst, from: nil, to: 10, at: 1)
        #expect(log.names() == ["x.txt"])
        #expect(result.merged == [.init(from: .sample(2), into: .sample(1))])
    }

    @Test("A copy that its user named `x 2.txt` stays a file of its own")
    func announcedCopy() throws {
        var log = try TestLog()
        try log.file(1, "x.txt", 10)
        try log.append(TestLog.a, .announcement(2, "x 2.txt", size: 10))
        try log.edit(2, from: nil, to: 10, at: 1)
        #expect(log.names() == ["x 2.txt", "x.txt"])
    }
}
