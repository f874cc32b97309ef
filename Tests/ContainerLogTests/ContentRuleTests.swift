import Basics
import CloudModel
import ContainerLog
import Testing

@Suite("Content rules: current contents and conflict versions")
struct ContentRuleTests {
    private func log() throws -> TestLog {
        var log = try TestLog()
        try log.file(1, "x.txt", 10)
        return log
    }

    @Test("An edit based on the current content replaces it, however old its time is")
    func causalEdit() throws {
        var log = try log()
        try log.edit(1, from: 10, to: 11, at: -500, by: TestLog.b)
        #expect(log.contents(1) == [11])
        #expect(log.item(1)?.author == TestLog.b)
        #expect(log.item(1)?.version.description == "2.0")
    }

    @Test("Of two edits with one base the newer is current, in either order of the log")
    func newestWins() throws {
        var first = try log()
        try first.edit(1, from: 10, to: 11, at: 5, by: TestLog.a)
        try first.edit(1, from: 10, to: 12, at: 1, by: TestLog.b)
        #expect(first.contents(1) == [11, 12])

        var second = try log()
        try second.edit(1, from: 10, to: 12, at: 1, by: TestLog.b)
        try second.edit(1, from: 10, to: 11, at: 2, by: TestLog.a)
        #expect(second.contents(1) == [11, 12])
    }

    @Test("Of edits with equal times, the one of the larger device id is current")
    func ties() throws {
        var log = try log()
        try log.edit(1, from: 10, to: 12, at: 1, by: TestLog.b)
        try log.edit(1, from: 10, to: 11, at: 1, by: TestLog.a)
        #expect(log.contents(1) == [12, 11])
    }

    @Test("A conflict version has the device, name, time and base of the content that lost")
    func conflictFacts() throws {
        var log = try log()
        try log.edit(1, from: 10, to: 11, at: 3, by: TestLog.a)
        try log.edit(1, from: 10, to: 12, at: 1, by: TestLog.b)
        let conflict = try #require(log.item(1)?.conflicts.first)
        #expect(conflict.author == TestLog.b)
        #expect(conflict.authorName == "lap")
        #expect(conflict.modified == .minute(1))
        #expect(conflict.base == .sample(10))
        #expect(conflict.version.description == "3.0")
    }

    @Test("Equal bytes from two devices are not a conflict")
    func equalBytes() throws {
        var log = try log()
        try log.edit(1, from: 10, to: 11, at: 1, by: TestLog.a)
        try log.edit(1, from: 10, to: 11, at: 3, by: TestLog.b)
        #expect(log.contents(1) == [11])
        #expect(log.item(1)?.attributes.modified == .minute(3))
        #expect(log.item(1)?.version.description == "2.0")
    }

    @Test("An edit based on a conflict version replaces that version")
    func editOfConflict() throws {
        var log = try log()
        try log.edit(1, from: 10, to: 11, at: 2, by: TestLog.a)
        try log.edit(1, from: 10, to: 12, at: 1, by: TestLog.b)
        try log.edit(1, from: 12, to: 13, at: 1, by: TestLog.b)
        #expect(log.contents(1) == [11, 13])
        try log.edit(1, from: 13, to: 14, at: 5, by: TestLog.b)
        #expect(log.contents(1) == [14, 11])
    }

    @Test("Three edits of one base end as one current content and two conflict versions")
    func threeWriters() throws {
        var log = try log()
        try log.edit(1, from: 10, to: 11, at: 1, by: TestLog.a)
        try log.edit(1, from: 10, to: 12, at: 3, by: TestLog.b)
        try log.edit(1, from: 10, to: 13, at: 2, by: TestLog.c)
        #expect(log.contents(1) == [12, 11, 13])
    }

    @Test("A conflict version whose bytes become current is no longer in conflict")
    func conflictBecomesCurrent() throws {
        var log = try log()
        try log.edit(1, from: 10, to: 11, at: 2, by: TestLog.a)
        try log.edit(1, from: 10, to: 12, at: 1, by: TestLog.b)
        try log.edit(1, from: 11, to: 12, at: 1, by: TestLog.a)
        #expect(log.contents(1) == [12])
    }

    @Test("Resolving drops exactly the named versions, also from the conflicts of a later edit")
    func resolve() throws {
        var log = try log()
        try log.edit(1, from: 10, to: 11, at: 9, by: TestLog.a)
        try log.edit(1, from: 10, to: 12, at: 1, by: TestLog.b)
        try log.edit(1, from: 10, to: 13, at: 1, by: TestLog.c)
        let seen = try #require(log.item(1)?.conflicts.first?.version)
        try log.edit(1, from: 12, to: 14, at: 1, by: TestLog.b)
        try log.append(TestLog.a, .resolve(.sample(1), versions: [seen]))
        #expect(log.contents(1) == [11, 13, 14])
        let versions = try #require(log.item(1)?.conflicts.map(\.version))
        try log.append(TestLog.a, .resolve(.sample(1), versions: versions + versions))
        #expect(log.contents(1) == [11])
    }

    @Test("A version that was chosen without seeing a newer edit stays, though its old entry is resolved")
    func chosenVersionThatLoses() throws {
        var log = try log()
        try log.edit(1, from: 10, to: 11, at: 2, by: TestLog.a)
        try log.edit(1, from: 10, to: 12, at: 1, by: TestLog.b)
        let seen = try #require(log.item(1)?.conflicts.first?.version)
        try log.edit(1, from: 11, to: 15, at: 4, by: TestLog.a)
        try log.append(
            TestLog.b, .edit(1, from: 11, to: 12, at: 3), .resolve(.sample(1), versions: [seen]))
        #expect(log.contents(1) == [15, 12])
    }

    @Test("A time later than the log's counts as the log's")
    func clockAhead() throws {
        var log = try log()
        try log.edit(1, from: 10, to: 11, at: 1_000_000, by: TestLog.a)
        try log.edit(1, from: 10, to: 12, at: 3, by: TestLog.b)
        #expect(log.contents(1) == [12, 11])
    }

    @Test("An announced file shows its size, is completed by its author, and is never a conflict")
    func announcement() throws {
        var log = try TestLog()
        try log.append(TestLog.a, .announcement(1, "x", size: 77))
        #expect(log.item(1)?.body == .file(.announced(size: 77)))
        try log.append(
            TestLog.b, .edit(.sample(1), base: nil, content: .announced(size: 99), modified: .minute(2)))
        #expect(log.item(1)?.body == .file(.announced(size: 77)))
        try log.append(
            TestLog.a, .edit(.sample(1), base: nil, content: .announced(size: 88), modified: .minute(2)))
        #expect(log.item(1)?.body == .file(.announced(size: 88)))
        try log.edit(1, from: nil, to: 10, at: 3)
        #expect(log.contents(1) == [10])
    }

    @Test("Content written over an announcement and the announced content are both kept")
    func announcementOverwritten() throws {
        var log = try TestLog()
        try log.append(TestLog.a, .announcement(1, "x", size: 77))
        try log.edit(1, from: nil, to: 20, at: 3, by: TestLog.b)
        try log.edit(1, from: nil, to: 10, at: 2, by: TestLog.a)
        #expect(log.contents(1) == [20, 10])
    }

    @Test("An announcement does not replace a stored content")
    func announcementOverContent() throws {
        var log = try log()
        try log.append(.init(1), .edit(.sample(1), base: .sample(10), content: .announced(size: 5), modified: .zero))
        #expect(log.contents(1) == [10])
    }

    @Test("Edits of folders, links and unknown items have no effect")
    func voidEdits() throws {
        var log = try log()
        try log.folder(2, "d")
        try log.append(
            TestLog.a,
            .create(.sample(3), parent: .root, name: "l", attributes: .sample(), body: .symlink(target: [1])))
        let before = try TreeDigest(of: log.tree)
        for id in [UInt64(2), 3, 4] { try log.edit(id, from: nil, to: 30, at: 3) }
        #expect(try TreeDigest(of: log.tree) == before)
    }
}
