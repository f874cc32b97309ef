import Basics
import CloudModel
import DeviceSupport
import LocalMetadata
import Testing
import VirtualFileSystem

@testable import Sync

/// A folder returns with the first restored item.
@Suite("Restoring the rest of a deleted folder")
struct RestoredFolderTests {
    private let device: KernellessDevice
    private let folder: NodeID

    /// `w` has `early`, already deleted; hours later `w` is deleted with `a`, `b` and `d/c`.
    init() throws {
        device = try KernellessDevice()
        folder = try device.makeFolder("w")
        let inner = try device.makeFolder("d", in: folder)
        for (name, parent) in [("early", folder), ("a", folder), ("b", folder), ("c", inner)] {
            try device.save(name, name, in: parent)
        }
        try device.settle()
        try device.remove("early", in: folder)
        try device.settle()
        device.time.advance(by: .seconds(7200))
        try device.remove("c", in: inner)
        try device.files.removeFolder(Array("d".utf8), in: folder)
        for name in ["a", "b"] { try device.remove(name, in: folder) }
        try device.files.removeFolder(Array("w".utf8), in: device.documents)
    }

    @Test(
        "what was deleted with a folder returns after one of its items was restored, and nothing older",
        arguments: [true, false])
    func rest(isSent: Bool) async throws {
        if isSent { try device.settle() }
        let path = ["CloudDocs", "Documents", "w", "d", "c"].map { Array($0.utf8) }
        let deleted = try #require(try device.metadata.read { try $0.history.deletedItems(at: path) }.first)
        #expect(try await DeletedItems(device.context).restore(deleted.id, of: deleted.container) != nil)
        let row = try #require(try device.row("w"))
        #expect(try device.names(in: row.node) == ["d"])
        let restored = try await DeletedItems(device.context).restoreContents(of: row)
        #expect(restored?.count == 2 && restored?.missing == 0)
        #expect(try device.names(in: row.node) == ["a", "b", "d"])
        try device.settle()
        #expect(try device.unrest == [])
        #expect(try device.disagreements("at rest") == [])
    }

    @Test("where nothing was deleted, nothing is restored")
    func nothing() async throws {
        let empty = try device.makeFolder("empty")
        let row = try #require(try device.metadata.read { try $0.local.item(empty) })
        #expect(try await DeletedItems(device.context).restoreContents(of: row) == nil)
    }
}
