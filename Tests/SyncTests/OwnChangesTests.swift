import Basics
import CloudModel
import ContainerLog
import DeviceSupport
import Glibc
import LocalMetadata
import TestSupport
import Testing
import VirtualFileSystem

@testable import Sync

@Suite("Own batches in the log")
struct OwnChangesTests {
    private let device: KernellessDevice

    init() throws { device = try KernellessDevice() }

    /// Creates an agreed file with local bytes.
    private func agreedFile(_ name: String, _ text: String) throws -> ItemID {
        try device.save(name, text)
        try device.settle()
        return try #require(try device.row(name)).item
    }

    // MARK: Agreement on sent changes

    @Test("everything in a batch is agreed on when it returns, and nothing is left to send")
    func created() throws {
        let folder = try device.makeFolder("folder")
        try device.save("a", "text", in: folder)
        try device.finishUploads()
        let batch = try #require(try device.nextBatch())
        #expect(try !device.unrest.isEmpty)
        try device.fold(batch)
        #expect(try device.unrest.isEmpty)
        #expect(try device.rows.allSatisfy { $0.pendingSince == nil && $0.isKnown || $0.item == .root })
        #expect(try device.disagreements("after the batch") == [])
        #expect(try device.text("a", in: folder) == "text", "its bytes stay here")
    }

    @Test("an edit made while the batch was pending is sent next, based on the batch's content")
    func editMeanwhile() throws {
        try device.save("a", "one")
        try device.finishUploads()
        let batch = try #require(try device.nextBatch())
        try device.edit("a", "two")
        try device.fold(batch)
        #expect(try device.text("a") == "two")
        try device.finishUploads()
        let next = try #require(try device.nextBatch())
        let bases = next.changes.compactMap { if case .edit(_, let base, _, _) = $0 { base } else { nil } }
        #expect(bases == [ContentReference.of("one").digest])
        try device.fold(next)
        let id = try #require(try device.row("a")).item
        #expect(try device.remote(id)?.conflicts.isEmpty == true, "an edit of its own edit is no conflict")
        #expect(try device.unrest.isEmpty)
    }

    @Test("a move made while another was pending is sent next")
    func moveMeanwhile() throws {
        let id = try agreedFile("a", "text")
        try device.rename("a", to: "b")
        let batch = try #require(try device.nextBatch())
        try device.rename("b", to: "c")
        try device.fold(batch)
        #expect(try device.names() == ["c"])
        #expect(try device.remote(id)?.name.description == "b")
        try device.settle()
        #expect(try device.remote(id)?.name.description == "c")
        #expect(try device.names() == ["c"])
    }

    @Test("attributes that were set and removed are agreed on as they were sent")
    func attributes() throws {
        let id = try agreedFile("a", "text")
        let node = try device.node("a")
        try device.files.setExtendedAttribute("user.color", to: [1], of: node, mode: .any)
        try device.settle()
        #expect(try device.remote(id)?.attributes.extended["user.color"] == [1])
        try device.files.removeExtendedAttribute("user.color", of: node)
        try device.settle()
        let remote = try #require(try device.remote(id))
        #expect(remote.attributes.extended["user.color"] == nil)
        #expect(try device.unrest.isEmpty)
    }

    @Test("a deletion is complete when it returns, and an item that took the name stays")
    func deletion() throws {
        let id = try agreedFile("a", "text")
        try device.remove("a")
        let batch = try #require(try device.nextBatch())
        #expect(batch.changes.compactMap(\.deleted) == [id])
        try device.save("a", "another")
        try device.fold(batch)
        let container = try device.container.id
        #expect(try device.metadata.read { try $0.pending.departure(of: id, in: container) } == nil)
        #expect(try device.remote(id) == nil)
        try device.settle()
        let row = try #require(try device.row("a"))
        #expect(try row.item != id && device.remote(row.item)?.body.content?.reference == .of("another"))
        #expect(try device.unrest.isEmpty)
    }

    // MARK: A crash between the append and the commit

    @Test("if the process dies after the append, the same bytes are appended again, and the log applies them once")
    func crashAfterAppend() throws {
        let disk = FailingDatabase()
        let device = try KernellessDevice(onCall: disk.pass)
        _ = try device.makeFolder("folder")
        try device.save("a", "text")
        try device.finishUploads()
        let batch = try #require(try device.nextBatch())
        // The log has the batch, but the transaction that would record that is lost.
        disk.fail(.commit, with: Errno(EIO))
        #expect(throws: Errno(EIO)) { try device.fold(batch) }
        disk.heal()
        let container = try device.container
        let again = try #require(try Outbox(device.context).next(in: container))
        let payload = try batch.encoded()
        #expect(again.payload == payload)
        try device.fold(batch)
        let rows = try device.rows
        try device.fold(payload: again.payload)
        #expect(try device.rows == rows)
        #expect(try device.nextBatch() == nil)
        #expect(try device.container.sequence == LogSequence(2))
        #expect(try device.disagreements("after both") == [])
    }

    @Test(
        "another batch with the same number withdraws the pending one, whose changes are sent under the next number"
    )
    func takenNumber() throws {
        // Simulates a state restored from a backup: the device has forgotten the first batch of this number.
        let folder = try device.makeFolder("folder")
        let waiting = try #require(try device.nextBatch())
        let forgotten = ChangeBatch(
            device: device.context.device, deviceName: "test", deviceSequence: waiting.deviceSequence,
            time: device.time.now(), changes: [try .folder(1, "forgotten")])
        try device.fold(forgotten)
        #expect(try device.names() == ["folder", "forgotten"])
        let row = try #require(try device.metadata.read { try $0.local.item(folder) })
        #expect(!row.isKnown, "the log does not have it after all")
        let next = try #require(try device.nextBatch())
        #expect(next.deviceSequence == waiting.deviceSequence + 1)
        #expect(next.changes.compactMap(\.created) == [row.item])
        try device.settle()
        #expect(try device.unrest.isEmpty)
    }

    // MARK: Results of the rules

    @Test("an edit that lost keeps both contents visible: the document and its conflict version")
    func lostEdit() throws {
        let id = try agreedFile("a", "base")
        try device.edit("a", "mine")
        try device.finishUploads()
        let batch = try #require(try device.nextBatch())
        try device.fold(.edit(id, from: "base", to: "theirs"))
        #expect(try device.text("a") == "mine", "what is on its way is not replaced")
        try device.fold(batch)
        try device.settle()
        let remote = try #require(try device.remote(id))
        let contents = [remote.body.content?.reference] + remote.conflicts.map(\.content.reference)
        #expect(Set(contents) == [.of("mine"), .of("theirs")])
        #expect(try Set(device.rows.compactMap(\.content)).isSuperset(of: [.of("mine"), .of("theirs")]))
        #expect(try device.unrest.isEmpty)
    }

    @Test("a folder that was merged with another device's folder of that name is one row, with the contents of both")
    func merged() throws {
        let folder = try device.makeFolder("folder")
        try device.save("mine", "text", in: folder)
        try device.finishUploads()
        let batch = try #require(try device.nextBatch())
        try device.fold(.folder(1, "folder"), .file(2, "theirs", "text", in: .sample(1)))
        try device.fold(batch)
        try device.settle()
        #expect(try device.names() == ["folder"])
        #expect(try device.names(in: device.node("folder")) == ["mine", "theirs"])
        #expect(try device.row("folder")?.item == .sample(1))
        #expect(try device.unrest.isEmpty)
        #expect(try device.disagreements("merged") == [])
    }

    @Test("a deletion that lost to an edit elsewhere restores the file with that edit")
    func lostDeletion() throws {
        let id = try agreedFile("a", "base")
        try device.remove("a")
        let batch = try #require(try device.nextBatch())
        try device.fold(.edit(id, from: "base", to: "theirs"))
        try device.fold(batch)
        try device.settle()
        #expect(try device.row("a")?.content == .of("theirs"))
        #expect(try device.unrest.isEmpty)
    }

    // MARK: Any order

    @Test("whatever programs do while batches are pending, at rest both sides agree", arguments: 0..<30)
    func anyOrder(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var waiting: ChangeBatch?
        for step in 0..<40 {
            let comment = "seed \(seed), step \(step)"
            let rows = try device.metadata.read { try $0.local.children(of: device.documents, limit: 100) }
            let names = rows.map(\.name.description)
            let files = rows.filter { $0.kind == .file }.map(\.name.description)
            switch random.number(0..<9) {
            case 0, 1: try device.save("f\(step)", "text \(step)")
            case 2: if let name = random.pick(files) { try device.edit(name, comment) }
            case 3: if let name = random.pick(names) { try device.rename(name, to: "r\(step)") }
            case 4: if let name = random.pick(files) { try device.remove(name) }
            case 5: _ = try device.makeFolder("d\(step)")
            case 6: try device.finishUploads()
            case 7: waiting = try device.nextBatch() ?? waiting
            default:
                if let batch = waiting { try device.fold(batch) }
                // The log may deliver the batch twice.
                if random.chance(70) { waiting = nil }
            }
        }
        try device.settle()
        #expect(try device.unrest == [], "seed \(seed)")
        #expect(try device.disagreements("seed \(seed)") == [])
        for name in try device.names() {
            let row = try #require(try device.row(name))
            guard row.kind == .file else { continue }
            let text = try device.text(name)
            #expect(row.content == .of(text), "seed \(seed): \(name)")
        }
    }
}
