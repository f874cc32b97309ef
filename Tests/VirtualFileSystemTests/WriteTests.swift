import Basics
import DeviceSupport
import Glibc
import LocalContent
import LocalMetadata
import Testing
import VirtualFileSystem

@Suite("Writes")
struct WriteTests {
    private let test: KernellessDevice

    init() throws { test = try KernellessDevice() }

    @Test("the last close of a writer makes the file an edit that has to be synced")
    func edit() throws {
        let (attributes, handle) = try test.create("a")
        try test.write("text", to: handle)
        let open = try #require(try test.row("a"))
        #expect(open.isWriting && open.pendingSince == nil)
        test.time.advance(by: .seconds(5))
        test.files.release(handle)
        let closed = try #require(try test.row("a"))
        #expect(!closed.isWriting && closed.isEdited)
        #expect(closed.size == 4)
        #expect(closed.pendingSince == test.time.now())
        #expect(closed.node == attributes.node)
    }

    @Test("fsync makes the name durable too, also of a file that was closed since it was made")
    func syncAfterClose() throws {
        try test.save("a", "text")
        let item = try #require(try test.row("a"))
        #expect(test.content.needsNameSync(item.blob))
        let handle = try test.files.open(item.node, canWrite: false, truncate: false)
        defer { test.files.release(handle) }
        try test.files.sync(handle)
        #expect(!test.content.needsNameSync(item.blob))
    }

    @Test("stat shows written data before the file is closed")
    func live() throws {
        let (attributes, handle) = try test.create("a")
        defer { test.files.release(handle) }
        try test.write("some text", to: handle)
        #expect(try test.files.attributes(of: attributes.node).size == 9)
        try test.write("x", at: 99, to: handle)
        #expect(try test.files.attributes(of: attributes.node).size == 100)
    }

    @Test("a handle for reading cannot write, and an offset past the largest file size is refused")
    func refused() throws {
        let node = try test.save("a", "text")
        let reader = try test.files.open(node, canWrite: false, truncate: false)
        defer { test.files.release(reader) }
        #expect(throws: Errno(EBADF)) { try test.write("x", to: reader) }
        let writer = try test.files.open(node, canWrite: true, truncate: false)
        defer { test.files.release(writer) }
        #expect(throws: Errno(EFBIG)) { try test.write("x", at: UInt64(Int64.max), to: writer) }
        #expect(try test.text("a") == "text")
    }

    @Test("opening with O_TRUNC empties the file, and an open without a write changes nothing")
    func truncation() throws {
        let node = try test.save("a", "text")
        let before = try #require(try test.row("a"))
        test.files.release(try test.files.open(node, canWrite: true, truncate: false))
        #expect(try test.row("a")?.pendingSince == before.pendingSince)
        test.files.release(try test.files.open(node, canWrite: true, truncate: true))
        #expect(try test.text("a") == "")
        #expect(try test.row("a")?.size == 0)
    }
}
