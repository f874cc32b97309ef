import Basics
import CloudModel
import ContainerLog
import DeviceSupport
import LocalMetadata
import TestSupport
import Testing
import VirtualFileSystem

@testable import Sync

/// Tests saves over a remote content before any local program has opened it: the editor still holds the old text.
@Suite("Saves over a content that no program has seen")
struct UnseenContentTests {
    private let device: KernellessDevice
    private let document = ItemID.sample(1)

    /// A remote device has created a document.
    init() throws {
        device = try KernellessDevice()
        try device.fold(.file(1, "a", "one"))
    }

    private func open() throws {
        device.files.release(try device.files.open(try device.node("a"), canWrite: false, truncate: false))
    }

    /// A remote change, with bytes downloaded immediately.
    private func arrive(_ change: Change) throws {
        try device.fold(change)
        try device.finishDownloads()
    }

    private func empty() throws {
        var request = AttributeRequest()
        request.size = 0
        _ = try device.files.setAttributes(of: try device.node("a"), request)
    }

    private func saveByRename(_ text: String) throws {
        try device.save("new", text)
        try device.rename("new", to: "a")
    }

    /// Uploads and sends the device's changes, and expects these contents in the log.
    private func expect(
        _ current: String, conflicts: [String], of id: ItemID? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try device.settle()
        let item = try #require(try device.remote(id ?? document), sourceLocation: sourceLocation)
        #expect(item.digest == ContentReference.of(current).digest, sourceLocation: sourceLocation)
        #expect(
            item.conflicts.map(\.content.reference) == conflicts.map { ContentReference.of($0) },
            sourceLocation: sourceLocation)
        #expect(try device.unrest == [], sourceLocation: sourceLocation)
        #expect(try device.disagreements("") == [], sourceLocation: sourceLocation)
    }

    @Test("a save by renaming keeps the content that arrived after the editor had read the document")
    func rename() throws {
        try open()
        try device.fold(.edit(document, from: "one", to: "two"))
        try saveByRename("three")
        try expect("three", conflicts: ["two"])
        #expect(try device.names().count == 2)
    }

    @Test("a save that empties the document first keeps it too")
    func truncation() throws {
        try open()
        try device.fold(.edit(document, from: "one", to: "two"))
        try device.edit("a", "three")
        try expect("three", conflicts: ["two"])
    }

    @Test("the base of a save that empties the document is recorded before the document's first byte goes")
    func deathBeforeClose() throws {
        try open()
        try arrive(.edit(document, from: "one", to: "two"))
        let handle = try device.files.open(try device.node("a"), canRead: false, canWrite: true, truncate: true)
        defer { device.files.release(handle) }
        let row = try #require(try device.metadata.read { try $0.local.item(device.node("a")) })
        let agreed = try device.metadata.read { try $0.synced.item(document, in: row.container) }
        #expect(row.isEdited && agreed?.digest == ContentReference.of("one").digest)
    }

    @Test("a save through a handle that cannot read, which empties the document later, keeps it too")
    func lateTruncation() throws {
        try open()
        try device.fold(.edit(document, from: "one", to: ""))
        let handle = try device.files.open(try device.node("a"), canRead: false, canWrite: true, truncate: false)
        try empty()
        try device.write("three", to: handle)
        device.files.release(handle)
        try expect("three", conflicts: [""])
    }

    @Test("a save that empties a document whose bytes are here keeps what was there")
    func truncationOfBytes() throws {
        try open()
        try device.fold(.edit(document, from: "one", to: ""))
        try device.edit("a", "three")
        try expect("three", conflicts: [""])
    }

    @Test("a save that empties the document, and sets its time before the close as cp -p does, keeps it too")
    func truncationWithTime() throws {
        try open()
        try device.fold(.edit(document, from: "one", to: "two"))
        let handle = try device.files.open(try device.node("a"), canRead: false, canWrite: true, truncate: true)
        try device.write("three", to: handle)
        var request = AttributeRequest()
        request.modified = .at(Timestamp(seconds: 12))
        _ = try device.files.setAttributes(of: try device.node("a"), request)
        device.files.release(handle)
        try expect("three", conflicts: ["two"])
    }

    @Test("a save that deletes the document first keeps it too")
    func deletion() throws {
        try open()
        try device.fold(.edit(document, from: "one", to: "two"))
        try device.remove("a")
        try device.save("a", "three")
        try expect("three", conflicts: ["two"])
    }

    @Test("a version in conflict that is renamed over its document replaces it, seen or not")
    func decision() throws {
        try open()
        try device.fold(.edit(document, from: "one", to: "two"))
        try saveByRename("three")
        try expect("three", conflicts: ["two"])
        try device.fold(.edit(document, from: "three", to: "four"))
        try device.finishDownloads()
        let sibling = try #require(try device.names().first { $0 != "a" })
        try device.rename(sibling, to: "a")
        try expect("two", conflicts: [])
    }

    @Test("a document that was deleted unseen once is not unseen for ever")
    func deletionAgain() throws {
        try open()
        try device.fold(.edit(document, from: "one", to: "two"))
        try device.remove("a")
        try device.save("a", "three")
        try expect("three", conflicts: ["two"])
        let sibling = try #require(try device.names().first { $0 != "a" })
        try device.remove(sibling)
        try device.settle()
        try device.fold(.edit(document, from: "three", to: "four"))
        try device.finishDownloads()
        try open()
        try device.remove("a")
        try device.save("a", "five")
        try expect("five", conflicts: [])
    }

    @Test("an editor that saves again after its first save was uploaded keeps what arrived between the two")
    func secondSave() throws {
        try open()
        try saveByRename("two")
        try saveByRename("three")
        try expect("three", conflicts: [])
        try saveByRename("four")
        try expect("four", conflicts: [])
        try arrive(.edit(document, from: "four", to: "five"))
        try saveByRename("six")
        try saveByRename("seven")
        try expect("seven", conflicts: ["five"])
    }

    @Test("an editor that made the document keeps what arrived after that")
    func ownDocument() throws {
        try device.save("mine", "one")
        try device.settle()
        let id = try #require(try device.row("mine")).item
        try arrive(.edit(id, from: "one", to: "two"))
        try device.save("new", "three")
        try device.rename("new", to: "mine")
        try expect("three", conflicts: ["two"], of: id)
    }

    @Test("a document of another device that took the name stays, too")
    func takenName() throws {
        try device.save("b", "mine")
        try device.finishUploads()
        try device.fold(.file(2, "b", "theirs"))
        // The log is about to receive this device's document, and then changes its name.
        let batch = try #require(try device.nextBatch())
        #expect(try device.row("b")?.item != .sample(2))
        try device.fold(batch)
        #expect(try device.row("b")?.item == .sample(2), "the name is never free in between")
        #expect(try device.names() == ["a", "b", "b 2"])
        try device.save("new", "saved")
        try device.rename("new", to: "b")
        try expect("saved", conflicts: ["theirs"], of: .sample(2))
    }

    @Test("another document that was moved to the name of a deleted one stays, too", arguments: [true, false])
    func movedDocument(empties: Bool) throws {
        try device.fold(.file(2, "c", "theirs"))
        try open()
        try device.remove("a")
        try device.save("a", "mine")
        try device.remove("a")
        try device.fold(.delete(document, base: ContentReference.of("one").digest), .move(.sample(2), to: "a"))
        if empties { try device.edit("a", "saved") } else { try saveByRename("saved") }
        try expect("saved", conflicts: ["theirs"], of: .sample(2))
    }

    @Test("a content that a program has opened is replaced, and so is one that no program ever read")
    func seen() throws {
        try saveByRename("two")
        try expect("two", conflicts: [])
        try arrive(.edit(document, from: "two", to: "three"))
        try open()
        try saveByRename("four")
        try expect("four", conflicts: [])
    }

    @Test("bytes appended to a content are an edit of it", arguments: [true, false])
    func append(canRead: Bool) throws {
        try open()
        try device.fold(.edit(document, from: "one", to: ""))
        let handle = try device.files.open(try device.node("a"), canRead: canRead, canWrite: true, truncate: false)
        try device.write("two", to: handle)
        device.files.release(handle)
        try expect("two", conflicts: [])
    }
}
