import Basics
import CloudModel
import ContainerLog
import DeviceSupport
import LocalMetadata
import TestSupport
import Testing
import VirtualFileSystem

@testable import Sync

/// Tests the effect of following on rows and bytes. ``ReconcilerTests`` cover the plan for an item's three states.
@Suite("Following changes from elsewhere")
struct TreeFollowerTests {
    private let device: KernellessDevice

    init() throws { device = try KernellessDevice() }

    /// Creates an agreed file with local bytes.
    private func agreedFile(_ name: String, _ text: String) throws -> ItemID {
        try device.save(name, text)
        try device.settle()
        return try #require(try device.row(name)).item
    }

    private func followAll() throws {
        let ids = try device.rows.map(\.item)
        try LogFollower(device.context).follow(ids, in: device.container)
    }

    // MARK: Created elsewhere

    @Test("a new file is shown as a placeholder of its size, an empty one as complete")
    func placeholders() throws {
        try device.fold(.folder(1, "folder"), .file(2, "a", "text", in: .sample(1)), .file(3, "empty", ""))
        let row = try #require(try device.row("a", in: device.node("folder")))
        #expect(row.presence == .none && row.size == 4 && row.content == .of("text") && row.pendingSince == nil)
        #expect(try device.row("empty")?.presence == .whole)
        #expect(try device.unrest.isEmpty)
        #expect(try device.nextBatch() == nil, "what was followed is not sent back")
    }

    @Test("a folder that was created here and elsewhere is one folder with the contents of both")
    func oneFolder() throws {
        let folder = try device.makeFolder("folder")
        try device.save("mine", "text", in: folder)
        try device.fold(.folder(1, "folder"), .file(2, "theirs", "text", in: .sample(1)))
        #expect(try device.names() == ["folder"])
        #expect(try device.row("folder")?.node == folder, "programs may be in it")
        try device.settle()
        #expect(try device.names(in: folder) == ["mine", "theirs"])
        #expect(try device.unrest.isEmpty)
    }

    @Test(
        "a name that is taken by a new local file is decided by the log: until then the local one keeps it, then both are shown"
    )
    func takenName() throws {
        try device.save("a", "mine")
        try device.fold(.file(1, "a", "theirs"))
        #expect(try device.text("a") == "mine")
        #expect(try device.local(.sample(1)) == nil)
        try device.settle()
        let shown = try device.names()
        #expect(shown.count == 2 && shown.contains("a"), "\(shown)")
        #expect(try Set(device.rows.compactMap(\.content)) == [.of("mine"), .of("theirs")])
        #expect(try device.unrest.isEmpty)
    }

    @Test("a local file that cannot be sent gives its name to one from elsewhere")
    func givesWay() throws {
        let node = try device.save("a.txt", "mine")
        try device.metadata.write { transaction in
            var row = try #require(try transaction.local.item(node))
            row.uploadError = "too large"
            try transaction.local.update(row)
        }
        try device.fold(.file(1, "a.txt", "theirs"))
        #expect(try device.names() == ["a 2.txt", "a.txt"])
        #expect(try device.row("a.txt")?.item == .sample(1))
        #expect(try device.text("a 2.txt") == "mine")
    }

    // MARK: Moved elsewhere

    @Test("every permutation of four names in one entry is followed, with the contents under their new names")
    func permutations() throws {
        let names = ["a", "b", "c", "d"]
        for (index, name) in names.enumerated() { try device.fold(.file(UInt64(index), name, name)) }
        var place = names
        for order in Self.orders(of: Array(0..<4)) {
            // Moves the items through temporary names, as a single device's batch does.
            let apart = try (0..<4).map { try Change.move(.sample(UInt64($0)), to: "apart \($0)") }
            let together = try (0..<4).map { try Change.move(.sample(UInt64($0)), to: names[order[$0]]) }
            try device.fold(apart + together)
            place = order.map { names[$0] }
            #expect(try device.names() == names, "\(order)")
            for index in 0..<4 {
                #expect(try device.local(.sample(UInt64(index)))?.name.description == place[index], "\(order)")
                #expect(try device.row(place[index])?.content == .of(names[index]), "\(order)")
            }
            #expect(try device.unrest.isEmpty, "\(order)")
        }
    }

    private static func orders(of items: [Int]) -> [[Int]] {
        guard items.count > 1 else { return [items] }
        return items.flatMap { first in orders(of: items.filter { $0 != first }).map { [first] + $0 } }
    }

    @Test("a file that is renamed elsewhere and edited here has the new name and the edit")
    func renamedAndEdited() throws {
        let id = try agreedFile("a", "base")
        try device.edit("a", "mine")
        try device.fold(.move(id, to: "b"))
        #expect(try device.names() == ["b"])
        #expect(try device.text("b") == "mine")
        try device.settle()
        #expect(try device.remote(id)?.body.content?.reference == .of("mine"))
        #expect(try device.remote(id)?.name.description == "b")
    }

    @Test("folders that are moved into each other, one here and one elsewhere, do not form a cycle")
    func circle() throws {
        try device.fold(.folder(1, "one"), .folder(2, "two"))
        try device.rename("one", to: "one", in: device.node("two"))
        try device.fold(.move(.sample(2), to: "two", in: .sample(1)))
        try device.settle()
        #expect(try device.unrest.isEmpty)
        let shown = try device.rows.filter { $0.item == .sample(1) || $0.item == .sample(2) }
        #expect(shown.count == 2)
        for row in shown {
            let path = try device.metadata.read { try $0.local.path(of: row.node) }
            #expect(path.count <= 4, "\(path)")
        }
        #expect(try device.disagreements("circle") == [])
    }

    // MARK: Edited elsewhere

    @Test("a placeholder shows the new version at once, a complete file its old one until the new one is downloaded")
    func newVersion() throws {
        let id = try agreedFile("whole", "old")
        try device.fold(.file(1, "placeholder", "old"))
        try device.fold(.edit(.sample(1), from: "old", to: "newer"), .edit(id, from: "old", to: "newer"))
        #expect(try device.row("placeholder")?.content == .of("newer"))
        #expect(try device.row("placeholder")?.size == 5)
        #expect(try device.text("whole") == "old")
        #expect(try device.row("whole")?.wanted == 50)
    }

    @Test("an edit that is not in the cloud is never replaced, and both contents are visible in the end")
    func editedOnBothSides() throws {
        let id = try agreedFile("a", "base")
        try device.edit("a", "mine")
        try device.fold(.edit(id, from: "base", to: "theirs"))
        #expect(try device.text("a") == "mine")
        try device.settle()
        #expect(try Set(device.rows.compactMap(\.content)).isSuperset(of: [.of("mine"), .of("theirs")]))
        #expect(try device.names().count == 2)
        #expect(try device.unrest.isEmpty)
    }

    @Test(
        "a file that a program is writing keeps its bytes until it is closed, whatever arrives",
        arguments: [true, false])
    func beingWritten(isDeleted: Bool) throws {
        let id = try agreedFile("a", "base")
        let handle = try device.files.open(try device.node("a"), canWrite: true, truncate: false)
        try device.write("MINE", to: handle)
        if isDeleted {
            try device.fold(.delete(id, base: ContentReference.of("base").digest))
        } else {
            try device.fold(.edit(id, from: "base", to: "theirs"))
        }
        #expect(try device.text("a") == "MINE")
        try device.write("+", at: 4, to: handle)
        device.files.release(handle)
        try device.settle()
        #expect(try device.rows.contains { $0.content == .of("MINE+") })
        #expect(try device.unrest.isEmpty)
    }

    // MARK: Deleted elsewhere

    @Test("a deleted file that is open for reading loses its name and keeps its bytes until it is closed")
    func deletedWhileOpen() throws {
        let id = try agreedFile("a", "text")
        let handle = try device.files.open(try device.node("a"), canWrite: false, truncate: false)
        try device.fold(.delete(id, base: ContentReference.of("text").digest))
        #expect(try device.names() == [])
        #expect(try device.text(of: handle) == "text")
        device.files.release(handle)
        #expect(try device.unrest.isEmpty)
    }

    @Test("a file that was edited here survives its deletion elsewhere, and is restored for all")
    func editOutlives() throws {
        let id = try agreedFile("a", "base")
        try device.edit("a", "mine")
        try device.fold(.delete(id, base: ContentReference.of("base").digest))
        #expect(try device.text("a") == "mine")
        try device.settle()
        let row = try #require(try device.row("a"))
        #expect(try device.remote(row.item)?.body.content?.reference == .of("mine"))
    }

    @Test("a folder that was deleted elsewhere stays for its new contents, and is restored for all")
    func folderOutlives() throws {
        try device.fold(.folder(1, "folder"), .file(2, "old", "text", in: .sample(1)))
        let folder = try device.node("folder")
        try device.save("new", "mine", in: folder)
        try device.fold(.delete(.sample(2), base: ContentReference.of("text").digest), .delete(.sample(1), base: nil))
        #expect(try device.names(in: folder) == ["new"])
        try device.settle()
        let row = try #require(try device.row("folder"))
        #expect(try device.remote(row.item) != nil)
        let inner = try #require(try device.row("new", in: row.node))
        #expect(try device.remote(inner.item)?.parent == row.item)
        #expect(try device.unrest.isEmpty)
    }

    @Test(
        "a version in conflict that became a document in a folder which was deleted here follows the edits of that document"
    )
    func versionInDeletedFolder() throws {
        try device.fold(.folder(1, "folder"), .file(2, "a", "base"))
        try device.fold(.edit(.sample(2), from: "base", to: "first"))
        try device.fold(.edit(.sample(2), from: "base", to: "second"))
        try device.files.removeFolder(Array("folder".utf8), in: device.documents)
        // The folder's deletion was not sent, so the log has a place for the document that this device cannot show.
        try device.fold(
            .move(.sample(2), to: "a", in: .sample(1)),
            .delete(.sample(2), base: ContentReference.of("second").digest))
        let version = try #require(try device.rows.first { $0.content == .of("first") })
        #expect(try device.remote(version.item) != nil, "the log has the version as a document")
        try device.fold(.edit(version.item, from: "first", to: "third"))
        try device.settle()
        #expect(try device.rows.compactMap(\.content) == [.of("third")])
        #expect(try device.remote(version.item)?.conflicts == [])
        #expect(try device.unrest.isEmpty)
    }

    // MARK: Repetition, and any order

    @Test("following the same changes again changes nothing", arguments: 0..<10)
    func repetition(seed: UInt64) throws {
        try anyChanges(seed: seed, steps: 25)
        // Previously blocked items may follow now.
        try followAll()
        let rows = try device.rows
        try followAll()
        #expect(try device.rows == rows, "seed \(seed)")
    }

    @Test(
        "whatever happens here and elsewhere in turn, at rest this device shows what is in the log", arguments: 0..<30)
    func anyOrder(seed: UInt64) throws {
        let kept = try anyChanges(seed: seed, steps: 40)
        try device.settle()
        #expect(try device.unrest == [], "seed \(seed)")
        #expect(try device.disagreements("seed \(seed)") == [])
        let container = try device.container.id
        let known = try device.metadata.read { transaction in
            try transaction.remote(in: container).items(after: nil, limit: 10_000).flatMap { item in
                [item.body.content?.reference] + item.conflicts.map(\.content.reference)
            }
        }
        for text in kept { #expect(known.contains(.of(text)), "seed \(seed): \(text) is lost") }
    }

    /// Makes random local and remote changes.
    ///
    /// - Returns: The locally saved texts not replaced or deleted by any program since.
    @discardableResult
    private func anyChanges(seed: UInt64, steps: UInt64) throws -> Set<String> {
        var random = SeededGenerator(seed: seed)
        var kept: [String: String] = [:]
        let (names, elsewhere) = (["a", "b", "c", "d"], (1...6).map { ItemID.sample($0) })
        for step in 0..<steps {
            let (name, other) = (random.pick(names) ?? "a", random.pick(names) ?? "b")
            let row = try device.row(name)
            switch random.number(0..<8) {
            case 0, 1:
                let text = "mine \(seed) \(step)"
                guard row == nil || row?.isConflictSibling == false else { continue }
                if row == nil { try device.save(name, text) } else { try device.edit(name, text) }
                kept[name] = text
            case 2:
                guard row != nil, row?.isConflictSibling == false else { continue }
                try device.remove(name)
                kept[name] = nil
            case 3:
                guard row != nil, row?.isConflictSibling == false, name != other else { continue }
                try device.rename(name, to: other)
                kept[other] = kept.removeValue(forKey: name)
            case 4: try device.fold(.file(step + 100, name, "theirs \(step)"))
            case 5:
                guard let id = random.pick(elsewhere + [row?.item].compactMap(\.self)) else { continue }
                try device.fold(.move(id, to: other))
            case 6:
                guard let id = row?.item, let base = try device.remote(id)?.body.content?.reference else { continue }
                try device.fold(
                    .edit(
                        id, base: base.digest, content: .stored(.of("theirs \(step)")), modified: Timestamp(seconds: 1))
                )
            default:
                if random.chance(50) { try device.finishUploads() }
                if let batch = try device.nextBatch() { try device.fold(batch) }
            }
            // The name may now belong to a different item.
            for name in names where try device.row(name).map({ $0.content != nil && !$0.isEdited }) != false {
                kept[name] = nil
            }
        }
        return Set(kept.values)
    }
}
