import Basics
import CloudModel
import ContainerLog
import DeviceSupport
import LocalMetadata
import Testing
import VirtualFileSystem

@testable import Sync

/// The engine treats a document with a waiting close as still being written.
@Suite("Changes from elsewhere, and starts, while closes wait")
struct WaitingCloseTests {
    private let timer = HeldTimer()
    private let device: KernellessDevice

    init() throws { device = try KernellessDevice(closing: timer.closing) }

    /// Creates an agreed file with local bytes.
    private func agreedFile(_ name: String, _ text: String) throws -> ItemID {
        try device.save(name, text)
        timer.fire()
        try device.settle()
        let row = try #require(try device.row(name))
        #expect(row.content == .of(text) && device.files.openFileCounts.all == 0)
        return row.item
    }

    private func openForNothing(_ name: String) throws {
        device.files.release(try device.files.open(device.node(name), canWrite: true, truncate: false))
        #expect(try device.row(name)?.isWriting == true)
    }

    private func settle() throws {
        timer.fire()
        try device.settle()
        #expect(try device.unrest.isEmpty)
        #expect(try device.disagreements("at rest").isEmpty)
        #expect(device.files.openFileCounts.all == 0)
    }

    @Test("an edit is never replaced, and both contents are visible in the end", arguments: [true, false])
    func edited(isRecordedFirst: Bool) throws {
        let id = try agreedFile("a", "base")
        try device.edit("a", "mine")
        // Recorded by another operation, but its file is not released yet.
        if isRecordedFirst { _ = try device.makeFolder("b") }
        try device.fold(.edit(id, from: "base", to: "theirs"))
        #expect(try device.text("a") == "mine")
        try settle()
        #expect(try Set(device.rows.compactMap(\.content)).isSuperset(of: [.of("mine"), .of("theirs")]))
    }

    @Test("an edited file survives its deletion elsewhere")
    func deletedElsewhere() throws {
        let id = try agreedFile("a", "base")
        try device.edit("a", "mine")
        try device.fold(.delete(id, base: ContentReference.of("base").digest))
        #expect(try device.text("a") == "mine")
        try settle()
        #expect(try device.rows.contains { $0.content == .of("mine") })
    }

    @Test("a file that was opened for writing and not written takes the new version, or is deleted, afterwards")
    func notWritten() throws {
        let (first, second) = (try agreedFile("a", "base"), try agreedFile("b", "base"))
        try openForNothing("a")
        try openForNothing("b")
        try device.fold(
            .edit(first, from: "base", to: "theirs"), .delete(second, base: ContentReference.of("base").digest))
        try settle()
        #expect(try device.names() == ["a"])
        #expect(try device.row("a")?.content == .of("theirs"))
    }

    @Test("a document that was edited and removed here, and edited elsewhere, has the edit from elsewhere")
    func removed() throws {
        let id = try agreedFile("a", "base")
        try device.edit("a", "mine")
        try device.remove("a")
        try device.fold(.edit(id, from: "base", to: "theirs"))
        try settle()
        #expect(try device.rows.compactMap(\.content).contains(.of("theirs")))
    }

    @Test("an upload takes no bytes of a file before its close is recorded, and all of them afterwards")
    func upload() throws {
        let id = try agreedFile("a", "base")
        try device.edit("a", "mine")
        try device.finishUploads()
        #expect(try device.local(id)?.content == .of("base"))
        timer.fire()
        try device.finishUploads()
        #expect(try device.local(id)?.content == .of("mine"))
    }

    @Test("a start after the end of the process finds every edit, in its state as in a copy of it")
    func recovered() throws {
        let id = try agreedFile("edited", "base")
        _ = try agreedFile("not written", "base")
        try device.edit("edited", "mine, and longer")
        try device.save("new", "text")
        try openForNothing("not written")
        // The process ends: nothing records the closes.
        try Recovery(metadata: device.metadata, content: device.content, time: device.time, log: device.context.log)
            .run()
        for (name, size) in [("edited", 16), ("new", 4)] {
            let row = try #require(try device.row(name))
            #expect(!row.isWriting && row.isEdited && row.size == UInt64(size) && row.pendingSince != nil, "\(name)")
        }
        #expect(try device.local(id)?.content == nil)
        let row = try #require(try device.row("not written"))
        #expect(!row.isWriting && !row.isEdited && row.content == .of("base") && row.pendingSince == nil)
    }

    @Test("a document is evicted only after its close is recorded")
    func evicted() throws {
        _ = try agreedFile("a", "base")
        let node = try device.node("a")
        try openForNothing("a")
        #expect(throws: EvictionRefusal.self) { try device.engine.evictor.evict(node) }
        timer.fire()
        try device.engine.evictor.evict(node)
        #expect(try device.row("a")?.presence == LocalMetadata.Presence.none)
    }
}
