import Basics
import CloudModel
import DeviceSupport
import Glibc
import LocalContent
import LocalMetadata
import Logging
import Sync
import Testing
import VirtualFileSystem

/// Possible disk states of a row and of bytes not synced together.
@Suite("Rows and blobs after a loss of power")
struct LossOfPowerTests {
    private func recover(_ test: KernellessDevice) throws {
        var log = Logger(label: "test")
        log.logLevel = .critical
        try Recovery(metadata: test.metadata, content: test.content, time: SystemTime(), log: log).run()
    }

    private func saved(_ test: KernellessDevice) throws -> LocalItem {
        try test.save("a", [UInt8](repeating: 7, count: 5000))
        return try #require(try test.row("a"))
    }

    @Test("the bytes of a removed file stay until its removal is durable, and are then deleted")
    func removal() throws {
        let test = try KernellessDevice(time: SystemTime())
        let item = try saved(test)
        try test.files.removeFile(Array("a".utf8), in: test.documents)
        #expect(try test.content.status(item.blob).size == 5000)
        test.files.removeBlobsNow()
        #expect(throws: Errno.self) { try test.content.status(item.blob) }
    }

    @Test("removing many blobs delays no program")
    func muchRemoved() throws {
        let test = try KernellessDevice(time: SystemTime())
        try test.save("a", [UInt8](repeating: 7, count: 2 << 20))
        let item = try #require(try test.row("a"))
        try test.files.removeFile(Array("a".utf8), in: test.documents)
        #expect(throws: Errno.self) { try test.content.status(item.blob) }
    }

    @Test("an edit that lost bytes before they were synced has the remaining size, and is still uploaded")
    func torn() throws {
        let test = try KernellessDevice(time: SystemTime())
        let item = try saved(test)
        let blob = try test.content.open(item.blob)
        defer { close(blob) }
        try check("ftruncate") { ftruncate(blob, 100) }
        try recover(test)
        let row = try #require(try test.row("a"))
        #expect(row.size == 100 && row.isEdited && row.pendingSince != nil && row.content == nil)
        try recover(test)
        #expect(try test.row("a") == row)
    }

    @Test("an edit that lost all of its bytes is reported")
    func lost() throws {
        let test = try KernellessDevice(time: SystemTime())
        let item = try saved(test)
        try test.content.remove(item.blob)
        try recover(test)
        let row = try #require(try test.row("a"))
        #expect(row.uploadError != nil)
        try recover(test)
        #expect(try test.row("a") == row)
    }

    /// 1700, and the ends of the domain: ext4 stores 1901 for the first two.
    @Test(
        "an edit keeps its time, also one that the disk cannot store, while it is open for writing or waits for its upload",
        arguments: [Timestamp(seconds: -8_520_336_000), Timestamp(nanoseconds: .min), Timestamp(nanoseconds: .max)],
        [false, true])
    func ancientTime(time: Timestamp, isOpen: Bool) throws {
        let test = try KernellessDevice(time: SystemTime())
        let item = try saved(test)
        var request = AttributeRequest()
        request.modified = .at(time)
        _ = try test.files.setAttributes(of: item.node, request)
        let handle = isOpen ? try test.files.open(item.node, canWrite: true, truncate: false) : nil
        try recover(test)
        let row = try #require(try test.row("a"))
        #expect(row.attributes.modified == time && row.size == 5000 && row.isEdited && !row.isWriting)
        if let handle { test.files.release(handle) }
    }
}
