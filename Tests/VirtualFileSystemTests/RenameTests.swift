import Basics
import DeviceSupport
import Glibc
import LocalMetadata
import Testing
import VirtualFileSystem

@Suite("Renames")
struct RenameTests {
    private let test: KernellessDevice

    init() throws { test = try KernellessDevice() }

    @Test("a file gets another name and keeps its node, its bytes and its identity")
    func plain() throws {
        let node = try test.save("a", "text")
        let before = try #require(try test.row("a"))
        _ = test.changes.take()
        try test.rename("a", to: "b")
        let after = try #require(try test.row("b"))
        #expect(after.node == node && after.item == before.item)
        #expect(try test.text("b") == "text")
        #expect(try test.names() == ["b"])
        #expect(test.changes.take() == ["moved a to b"])
    }

    @Test("a new file that is renamed over a document takes over its identity, as editors save this way")
    func save() throws {
        try test.save("document", "old")
        let document = try #require(try test.row("document"))
        try test.save("document.new", "new")
        _ = test.changes.take()
        try test.rename("document.new", to: "document")
        let saved = try #require(try test.row("document"))
        #expect(saved.item == document.item)
        #expect(try test.text("document") == "new")
        #expect(try test.names() == ["document"])
        #expect(test.changes.take() == ["replaced document with document.new"])
    }

    @Test("a handle of a file that was replaced keeps reading the old bytes")
    func replacedWhileOpen() throws {
        let node = try test.save("a", "old")
        let handle = try test.files.open(node, canWrite: false, truncate: false)
        try test.save("b", "new")
        try test.rename("b", to: "a")
        #expect(try test.text(of: handle) == "old")
        test.files.release(handle)
        #expect(!test.files.isOpen(node))
    }

    @Test("RENAME_NOREPLACE and RENAME_EXCHANGE")
    func modes() throws {
        try test.save("a", "1")
        try test.save("b", "2")
        #expect(throws: Errno(EEXIST)) { try test.rename("a", to: "b", mode: .noReplace) }
        try test.rename("a", to: "b", mode: .exchange)
        #expect(try test.text("a") == "2")
        #expect(try test.text("b") == "1")
        #expect(throws: Errno(ENOENT)) { try test.rename("a", to: "absent", mode: .exchange) }
    }

    @Test("a rename that rename(2) refuses changes nothing")
    func refused() throws {
        let folder = try test.makeFolder("folder")
        try test.save("inside", "1", in: folder)
        let empty = try test.makeFolder("empty")
        try test.save("file", "2")
        #expect(throws: Errno(ENOENT)) { try test.rename("absent", to: "other") }
        #expect(throws: Errno(EISDIR)) { try test.rename("file", to: "folder") }
        #expect(throws: Errno(ENOTDIR)) { try test.rename("folder", to: "file") }
        #expect(throws: Errno(ENOTEMPTY)) { try test.rename("empty", to: "folder") }
        #expect(throws: Errno(EINVAL)) { try test.rename("folder", to: "below", in: folder) }
        #expect(throws: Errno(ENAMETOOLONG)) { try test.rename("file", to: String(repeating: "n", count: 256)) }
        #expect(try test.names() == ["empty", "file", "folder"])
        #expect(try test.names(in: folder) == ["inside"])
        try test.rename("folder", to: "empty")
        #expect(try test.names(in: folder) == ["inside"])
        // The folder is gone from the tree, but a program working in it still sees it.
        #expect(try test.files.attributes(of: empty).links == 0)
    }
}
