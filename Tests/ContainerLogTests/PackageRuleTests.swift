import Basics
import CloudModel
import ContainerLog
import Testing

/// `a` and `b` have read the same log, and each creates a batch; the batch of `a` is appended first.
@Suite("Package rules: packages that two devices change at once")
struct PackageRuleTests {
    private let package = ItemID.sample(1)

    /// Returns a log with `d.rtfd`, a package of two files and a folder.
    private func log() throws -> TestLog {
        var log = try TestLog()
        try log.append(
            TestLog.a, .folder(1, "d.rtfd"), .file(2, "x", 10, in: package), .file(3, "y", 20, in: package),
            .folder(4, "in", in: package))
        return log
    }

    @Test("Of two batches that change one package the second is refused completely, and its number is used up")
    func crossing() throws {
        var log = try log()
        let ours = try log.made(TestLog.a, .edit(2, from: 10, to: 11, at: 9))
        let theirs = try log.made(TestLog.b, .edit(3, from: 20, to: 21, at: 9), .file(9, "beside", 30))
        #expect(try log.fold(ours).touched == [.sample(2), package])
        let before = (try TreeDigest(of: log.tree), log.tree.state().time)
        let result = try log.fold(theirs)
        #expect(result == FoldResult(isRefused: true))
        #expect(log.contents(2) == [11] && log.contents(3) == [20] && log.item(9) == nil)
        #expect(try (TreeDigest(of: log.tree), log.tree.state().time) == before)
        #expect(log.tree.lastSequence(of: TestLog.b) == theirs.deviceSequence)
        #expect(try log.fold(theirs) == FoldResult(isRepeat: true))
        #expect(log.contents(3) == [20])
    }

    @Test("A batch that was made after the other was read is not refused")
    func inTurn() throws {
        var log = try log()
        try log.fold(log.made(TestLog.a, .edit(2, from: 10, to: 11, at: 9)))
        let result = try log.fold(log.made(TestLog.b, .edit(3, from: 20, to: 21, at: 9)))
        #expect(!result.isRefused)
        try log.fold(log.made(TestLog.b, .edit(3, from: 21, to: 22, at: 9)))
        #expect(log.contents(2) == [11] && log.contents(3) == [22])
    }

    @Test(
        "New files, deletions, and moves into, in and out of a package change it; attributes and its own name do not",
        arguments: [
            (.file(9, "z", 30, in: .sample(4)), true), (.delete(3, 20), true), (.move(3, to: .sample(1), "z"), true),
            (.move(3, to: .root, "z"), true), (.move(8, to: .sample(4), "z"), true),
            (.folder(9, "g", in: .sample(1)), true),
            (.setAttributes(.sample(3), AttributeChanges(permissions: 0o600)), false),
            (.move(1, to: .root, "e.rtfd"), false), (.file(9, "z", 30), false),
        ] as [(Change, Bool)])
    func kinds(change: Change, isOfContents: Bool) throws {
        var log = try log()
        try log.file(8, "outside", 30)
        let (first, second) = try (log.made(TestLog.a, change), log.made(TestLog.b, .edit(2, from: 10, to: 11, at: 9)))
        #expect(first.packages.map(\.package) == (isOfContents ? [package] : []))
        try log.fold(first)
        #expect(try log.fold(second).isRefused == isOfContents)
    }

    @Test("A file that was added and removed again changes its package")
    func thereAndBack() throws {
        var log = try log()
        let late = try log.made(TestLog.b, .edit(2, from: 10, to: 11, at: 9))
        try log.fold(log.made(TestLog.a, .file(9, "z", 30, in: package)))
        try log.fold(log.made(TestLog.a, .delete(9, 30)))
        #expect(try log.fold(late).isRefused)
    }

    @Test("A change in a nested package changes both packages")
    func nested() throws {
        var log = try log()
        try log.append(TestLog.a, .folder(5, "inner.app", in: .sample(4)), .file(6, "z", 30, in: .sample(5)))
        let inner = try log.made(TestLog.a, .edit(6, from: 30, to: 31, at: 9))
        let outer = try log.made(TestLog.b, .edit(2, from: 10, to: 11, at: 9))
        #expect(inner.packages.map(\.package) == [package, .sample(5)])
        #expect(outer.packages.map(\.package) == [package])
        try log.fold(inner)
        #expect(try log.fold(outer).isRefused)
    }

    @Test("A package that the log does not know yet is not checked, and one that it never knew refuses the batch")
    func unknown() throws {
        var log = try TestLog()
        let batch = try log.made(TestLog.b, .folder(1, "d.rtfd"), .file(2, "x", 10, in: package))
        #expect(batch.packages.isEmpty)
        #expect(try !log.fold(batch).isRefused)
        var wrong = try log.made(TestLog.b, .file(3, "z", 10))
        wrong.packages = [PackageVersion(.sample(7), VersionID(sequence: LogSequence(1), index: 0))]
        #expect(try log.fold(wrong).isRefused)
        #expect(log.item(3) == nil)
        wrong = try log.made(TestLog.b, .file(3, "z", 10))
        wrong.packages = [PackageVersion(.sample(2), try #require(log.item(2)?.version))]
        #expect(try log.fold(wrong).isRefused, "a file is no package")
    }

    @Test("An edit in a package that was deleted meanwhile is refused, and restores no part of it")
    func deleted() throws {
        var log = try log()
        let edit = try log.made(TestLog.b, .edit(2, from: 10, to: 11, at: 9))
        try log.fold(log.made(TestLog.a, .delete(2, 10), .delete(3, 20), .delete(4), .delete(1)))
        #expect(try log.fold(edit).isRefused)
        #expect(!log.isLive(1) && !log.isLive(2))
    }

    @Test("A deleted package is touched after its contents")
    func order() throws {
        var log = try log()
        let result = try log.fold(log.made(TestLog.a, .delete(2, 10), .delete(3, 20), .delete(4), .delete(1)))
        #expect(result.touched == [.sample(2), .sample(3), .sample(4), package])
    }

    @Test("A folder that is no longer a package is merged file by file, unless it was changed while it was one")
    func noPackageAnyMore() throws {
        var log = try log()
        let edit = try log.made(TestLog.b, .edit(2, from: 10, to: 11, at: 9))
        try log.fold(log.made(TestLog.a, .move(1, to: .root, "plain")))
        try log.fold(log.made(TestLog.a, .edit(3, from: 20, to: 21, at: 9)))
        #expect(try !log.fold(edit).isRefused)
        #expect(log.contents(2) == [11] && log.contents(3) == [21])

        var other = try self.log()
        let late = try other.made(TestLog.b, .edit(2, from: 10, to: 11, at: 9))
        try other.fold(other.made(TestLog.a, .edit(3, from: 20, to: 21, at: 9)))
        try other.fold(other.made(TestLog.a, .move(1, to: .root, "plain")))
        #expect(try other.fold(late).isRefused)
    }

    private func declare(_ type: String, _ value: [UInt8]? = [1]) -> Change {
        .setAttributes(.root, AttributeChanges(extended: [ReservedAttribute.packageType(type): value]))
    }

    @Test(
        "When a container declares package extensions, they apply from the next entry on, also to existing folders"
    )
    func declared() throws {
        var log = try TestLog()
        try log.append(TestLog.a, .folder(1, "d.mydoc"), .file(2, "x", 10, in: .sample(1)))
        // In the entry with the type's declaration they are still folders.
        try log.append(TestLog.b, declare("mydoc"), .folder(3, "d.mydoc"))
        #expect(log.names() == ["d.mydoc"])
        try log.append(TestLog.b, .folder(4, "d.MyDoc"), .folder(5, "d.mydoc"))
        #expect(log.names() == ["d 2.mydoc", "d.MyDoc", "d.mydoc"])
        let (ours, theirs) = try (
            log.made(TestLog.a, .edit(2, from: 10, to: 11, at: 9)),
            log.made(TestLog.b, .edit(2, from: 10, to: 12, at: 9))
        )
        #expect(ours.packages.map(\.package) == [.sample(1)])
        try log.fold(ours)
        #expect(try log.fold(theirs).isRefused)
        try log.append(TestLog.a, declare("mydoc", nil))
        #expect(try log.made(TestLog.a, .edit(2, from: 11, to: 13, at: 9)).packages.isEmpty)
        #expect(try log.tree.packageTypes() == PackageTypes())
    }

    @Test(
        "Text that is not an extension declares nothing",
        arguments: ["", "A", "a.b", "a b", "é", String(repeating: "a", count: 65)])
    func undeclared(_ type: String) {
        #expect(PackageTypes(extended: [ReservedAttribute.packageType(type): [1]]) == PackageTypes())
    }

    @Test("A refused batch is known in advance to change nothing, like a repeat")
    func void() throws {
        var log = try log()
        let first = try log.made(TestLog.a, .edit(2, from: 10, to: 11, at: 9))
        let second = try log.made(TestLog.b, .edit(3, from: 20, to: 21, at: 9))
        #expect(try !ContainerReducer().isVoid(second, in: log.tree))
        try log.fold(first)
        #expect(try ContainerReducer().isVoid(first, in: log.tree))
        #expect(try ContainerReducer().isVoid(second, in: log.tree))
    }
}
