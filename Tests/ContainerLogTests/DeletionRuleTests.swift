import Basics
import CloudModel
import ContainerLog
import Testing

@Suite("Deletion rules: a deletion removes only what its device has seen")
struct DeletionRuleTests {
    private func log() throws -> TestLog {
        var log = try TestLog()
        try log.folder(1, "d")
        try log.file(2, "x.txt", 10, in: .sample(1))
        return log
    }

    @Test("A file that is deleted while no device writes it stays deleted, and a second deletion has no effect")
    func plain() throws {
        var log = try log()
        try log.append(TestLog.b, .delete(2, 10))
        #expect(!log.isLive(2))
        let again = try log.append(TestLog.a, .delete(2, 10))
        #expect(again.touched.isEmpty)
        try log.append(TestLog.a, .setAttributes(.sample(2), AttributeChanges(permissions: 0o600)))
        try log.append(TestLog.a, .move(2, to: .root, "y"))
        #expect(!log.isLive(2))
        #expect(log.item(2)?.parent == .sample(1))
    }

    @Test("A deletion based on an older content has no effect")
    func stale() throws {
        var log = try log()
        try log.edit(2, from: 10, to: 11, at: 3)
        try log.append(TestLog.b, .delete(2, 10))
        #expect(log.isLive(2))
        #expect(log.contents(2) == [11])
    }

    @Test("An edit restores a deleted file and the folders above it")
    func editWins() throws {
        var log = try log()
        try log.append(TestLog.b, .delete(2, 10), .delete(1))
        #expect(!log.isLive(1))
        let result = try log.edit(2, from: 10, to: 11, at: 1)
        #expect(log.isLive(1))
        #expect(log.isLive(2))
        #expect(log.contents(2) == [11])
        #expect(result.touched == [.sample(1), .sample(2)])
    }

    @Test("A file that is restored to a taken name gets another name")
    func backToTakenName() throws {
        var log = try log()
        try log.append(TestLog.b, .delete(2, 10))
        try log.file(3, "x.txt", 30, in: .sample(1), by: TestLog.b)
        try log.edit(2, from: 10, to: 11, at: 1)
        #expect(log.names(in: .sample(1)) == ["x 2.txt", "x.txt"])
        #expect(log.item(2)?.name == "x 2.txt")
    }

    @Test("A folder that is restored to a taken name is merged with the folder there")
    func folderBackToTakenName() throws {
        var log = try log()
        try log.append(TestLog.b, .delete(2, 10), .delete(1))
        try log.folder(5, "d", by: TestLog.b)
        let result = try log.edit(2, from: 10, to: 11, at: 1)
        #expect(log.names() == ["d"])
        #expect(log.names(in: .sample(5)) == ["x.txt"])
        #expect(result.merged == [.init(from: .sample(1), into: .sample(5))])
    }

    @Test("A folder that received a new item is not deleted")
    func folderWithNewItems() throws {
        var log = try log()
        try log.file(3, "new.txt", 30, in: .sample(1))
        try log.append(TestLog.b, .delete(2, 10), .delete(1))
        #expect(log.isLive(1))
        #expect(log.names(in: .sample(1)) == ["new.txt"])
    }

    @Test("A new file in a deleted folder restores the folder")
    func createInDeletedFolder() throws {
        var log = try log()
        try log.append(TestLog.b, .delete(2, 10), .delete(1))
        try log.file(3, "new.txt", 30, in: .sample(1))
        #expect(log.isLive(1))
        #expect(!log.isLive(2))
    }

    @Test("The root and Documents cannot be deleted")
    func wellKnown() throws {
        var log = try TestLog()
        try log.append(TestLog.a, .delete(.documents, base: nil), .delete(.root, base: nil))
        #expect(log.tree.item(.documents)?.isDeleted == false)
    }

    @Test("Conflict versions of a deleted file become files in its folder, the same on every device")
    func conflictsSurvive() throws {
        var log = try log()
        try log.edit(2, from: 10, to: 11, at: 1, by: TestLog.a)
        try log.edit(2, from: 10, to: 12, at: 0, by: TestLog.b)
        let version = try #require(log.item(2)?.conflicts.first?.version)
        let result = try log.append(TestLog.a, .delete(2, 11))
        #expect(log.names(in: .sample(1)) == ["x (conflict from lap 2025-01-01 00.00.00).txt"])
        let heir = try #require(log.tree.item(DerivedIDs.stableHash.heir(of: .sample(2), version)))
        #expect(heir.body == .sample(12))
        #expect(heir.author == TestLog.b)
        #expect(result.touched == [.sample(2), heir.id])
    }

    @Test("Edits, deletions and resolutions of a conflict version follow it when it has become a file")
    func changesFollowTheHeir() throws {
        var log = try log()
        try log.edit(2, from: 10, to: 11, at: 1, by: TestLog.a)
        try log.edit(2, from: 10, to: 12, at: 0, by: TestLog.b)
        let version = try #require(log.item(2)?.conflicts.first?.version)
        try log.append(TestLog.a, .delete(2, 11))
        let heir = DerivedIDs.stableHash.heir(of: .sample(2), version)

        var edited = log
        try edited.edit(2, from: 12, to: 13, at: 0, by: TestLog.b)
        #expect(edited.tree.item(heir)?.body == .sample(13))
        #expect(!edited.isLive(2))
        try edited.append(TestLog.c, .resolve(.sample(2), versions: [version]))
        #expect(edited.tree.item(heir)?.isDeleted == false)

        var deleted = log
        try deleted.append(TestLog.b, .delete(2, 12))
        #expect(deleted.tree.item(heir)?.isDeleted == true)

        var resolved = log
        try resolved.append(TestLog.c, .resolve(.sample(2), versions: [version]))
        #expect(resolved.tree.item(heir)?.isDeleted == true)
    }

    @Test("A deletion of a content that has lost meanwhile drops only that content")
    func deleteOfLoser() throws {
        var log = try log()
        try log.edit(2, from: 10, to: 11, at: 1, by: TestLog.a)
        try log.edit(2, from: 10, to: 12, at: 0, by: TestLog.b)
        try log.append(TestLog.b, .delete(2, 12))
        #expect(log.isLive(2))
        #expect(log.contents(2) == [11])
    }

    @Test("An announced file can be deleted by any device, and its content restores it")
    func announced() throws {
        var log = try TestLog()
        try log.append(TestLog.a, .announcement(1, "x", size: 7))
        try log.append(TestLog.b, .delete(1))
        #expect(!log.isLive(1))
        try log.edit(1, from: nil, to: 10, at: 2, by: TestLog.a)
        #expect(log.isLive(1))
        try log.append(TestLog.b, .delete(1))
        #expect(log.isLive(1))
    }

    @Test("A link is deleted whatever the base is")
    func link() throws {
        var log = try TestLog()
        try log.append(
            TestLog.a,
            .create(.sample(1), parent: .root, name: "l", attributes: .sample(), body: .symlink(target: [1])))
        try log.append(TestLog.b, .delete(1))
        #expect(log.names().isEmpty)
    }

    @Test("A deletion under an id that has become an alias removes no file of another device")
    func throughAlias() throws {
        var log = try TestLog()
        try log.file(1, "x", 10, by: TestLog.a)
        try log.file(2, "x", 10, by: TestLog.b)
        try log.append(TestLog.b, .delete(2, 10))
        #expect(log.isLive(1))
        try log.edit(2, from: 10, to: 11, at: 4, by: TestLog.b)
        try log.append(TestLog.b, .delete(2, 11))
        #expect(!log.isLive(1))
    }
}
