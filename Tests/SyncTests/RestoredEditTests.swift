import CloudModel
import ContainerLog
import DeviceSupport
import LocalMetadata
import Testing
import VirtualFileSystem

@testable import Sync

@Suite("Edits of restored documents that another device edits too")
struct RestoredEditTests {
    private let device: KernellessDevice

    init() throws { device = try KernellessDevice() }

    private func deletedFile() throws -> ItemID {
        try device.save("a", "base")
        try device.settle()
        let id = try #require(try device.row("a")).item
        try device.remove("a")
        return id
    }

    private func restoreAndEdit(_ id: ItemID, isUploaded: Bool) async throws {
        let restored = try await DeletedItems(device.context).restore(id, of: device.container.id)
        #expect(restored?.count == 1)
        try device.edit("a", "mine")
        if isUploaded { try device.finishUploads() }
    }

    private func expectBoth(_ id: ItemID) throws {
        try device.settle()
        let remote = try #require(try device.remote(id))
        let contents = [remote.body.content?.reference] + remote.conflicts.map(\.content.reference)
        #expect(Set(contents) == [.of("mine"), .of("theirs")])
        #expect(try Set(device.rows.compactMap(\.content)).isSuperset(of: [.of("mine"), .of("theirs")]))
        #expect(try device.unrest.isEmpty)
    }

    @Test(
        "both edits are kept if the deletion was being sent when the document was restored", arguments: [false, true])
    func whileDeletionIsSent(isUploaded: Bool) async throws {
        let id = try deletedFile()
        let deletion = try #require(try device.nextBatch())
        try await restoreAndEdit(id, isUploaded: isUploaded)
        try device.fold(.edit(id, from: "base", to: "theirs"))
        try device.fold(deletion)
        try expectBoth(id)
    }

    @Test("both edits are kept if the deletion was in the log", arguments: [false, true])
    func afterDeletion(isUploaded: Bool) async throws {
        let id = try deletedFile()
        try device.settle()
        try await restoreAndEdit(id, isUploaded: isUploaded)
        try device.fold(.edit(id, from: "base", to: "theirs"))
        try expectBoth(id)
    }

    @Test("a restored document that another device restored too is one document without a conflict")
    func restoredByBoth() async throws {
        let id = try deletedFile()
        try device.settle()
        _ = try await DeletedItems(device.context).restore(id, of: device.container.id)
        let place = try #require(try device.local(id))
        try device.fold(
            .create(
                id, parent: .documents, name: place.name, attributes: place.attributes,
                body: .file(.stored(.of("base")))))
        try device.settle()
        let remote = try #require(try device.remote(id))
        #expect(remote.body.content?.reference == .of("base") && remote.conflicts.isEmpty)
        #expect(try device.unrest.isEmpty)
    }

    @Test(
        "an edit that was uploaded while its document is open is sent, although others deleted and restored the document"
    )
    func openMeanwhile() throws {
        try device.save("a", "base")
        try device.settle()
        let row = try #require(try device.row("a"))
        let handle = try device.files.open(row.node, canWrite: true, truncate: false)
        try device.write("mine", to: handle)
        device.time.advance(by: .seconds(60))
        device.files.noteIdleEdits(pause: .seconds(1))
        try device.finishUploads()
        #expect(try device.row("a")?.content == .of("mine"))
        try device.fold(.delete(row.item, base: ContentReference.of("base").digest))
        #expect(try device.row("a")?.pendingSince != nil, "it counts as uploaded")
        try device.fold(
            .create(
                row.item, parent: .documents, name: row.name, attributes: row.attributes,
                body: .file(.stored(.of("base")))))
        device.files.release(handle)
        try device.settle()
        #expect(try device.remote(row.item)?.body.content?.reference == .of("mine"))
        #expect(try device.unrest.isEmpty)
    }

    @Test(
        "a document that returns after a version of another device arrived is in conflict immediately",
        arguments: ["restored", "created"])
    func returning(how: String) async throws {
        try device.save("a", "base")
        try device.settle()
        let id = try #require(try device.row("a")).item
        try device.edit("a", "mine")
        try device.settle()
        try device.remove("a")
        try device.fold(.edit(id, from: "base", to: "theirs"))
        if how == "restored" {
            _ = try await DeletedItems(device.context).restore(id, of: device.container.id)
            #expect(try device.names().count == 2)
        } else {
            try device.save("a", "new")
        }
        let row = try #require(try device.row("a"))
        #expect(row.item == id)
        #expect(try device.files.status(of: row.node).hasUnresolvedConflicts)
        try device.settle()
        #expect(try device.names().count == 2)
        #expect(try device.files.status(of: row.node).hasUnresolvedConflicts)
        #expect(try device.unrest.isEmpty)
    }

    @Test("an item that is restored again while its first deletion is being sent stays")
    func restoredTwice() async throws {
        let id = try deletedFile()
        let deletion = try #require(try device.nextBatch())
        _ = try await DeletedItems(device.context).restore(id, of: device.container.id)
        try device.remove("a")
        _ = try await DeletedItems(device.context).restore(id, of: device.container.id)
        try device.fold(deletion)
        try device.settle()
        #expect(try device.names() == ["a"])
        #expect(try device.remote(id)?.isDeleted == false && device.unrest.isEmpty)
    }

    @Test("a deletion that was withdrawn, or made by two devices, ends once its item is restored")
    func withdrawn() async throws {
        for isWithdrawn in [true, false] {
            let id = try deletedFile()
            if isWithdrawn {
                _ = try #require(try device.nextBatch())
            } else {
                try device.fold(.delete(id, base: ContentReference.of("base").digest))
            }
            _ = try await DeletedItems(device.context).restore(id, of: device.container.id)
            if isWithdrawn { try device.metadata.write { try $0.withdrawBatch(of: device.container.id) } }
            try device.rename("a", to: "b")
            try device.settle()
            #expect(try device.names() == ["b"])
            #expect(try device.metadata.read { try $0.pending.totals().items } == 0)
            try device.remove("b")
            try device.settle()
        }
    }
}
