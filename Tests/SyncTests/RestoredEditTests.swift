import CloudModel
import ContainerLog
import DeviceSupport
import LocalMetadata
import Testing

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
}
