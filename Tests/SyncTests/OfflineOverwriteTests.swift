import Basics
import CloudModel
import ContainerLog
import DeviceSupport
import Glibc
import LocalMetadata
import Synchronization
import Testing
import VirtualFileSystem

@testable import Sync

/// A program that empties a document needs none of its bytes.
@Suite("Overwriting documents whose bytes are out of reach")
struct OfflineOverwriteTests {
    /// How a program overwrites: `cp` and `echo >` open for writing only, some editors for reading too, `truncate -s 0` by path.
    enum Gesture: CaseIterable { case write, readAndWrite, size }

    private let device: KernellessDevice
    private let document = ItemID.sample(1)

    /// A remote device has created a document; its bytes are not local, and the cloud is unreachable.
    init() throws {
        device = try KernellessDevice()
        try device.fold(.file(1, "a", "one"))
        let source = try #require(device.files.source as? IdleContentSource)
        source.isOffline.store(true, ordering: .relaxed)
        #expect(throws: Errno(ENETUNREACH)) { try device.text("a") }
    }

    private func overwrite(_ gesture: Gesture, with text: String) throws {
        let node = try device.node("a")
        if gesture == .size {
            var request = AttributeRequest()
            request.size = 0
            _ = try device.files.setAttributes(of: node, request)
        }
        let handle = try device.files.open(
            node, canRead: gesture == .readAndWrite, canWrite: true, truncate: gesture != .size)
        defer { device.files.release(handle) }
        #expect(try device.files.attributes(of: node).size == 0)
        if !text.isEmpty { try device.write(text, to: handle) }
    }

    @Test(
        "a document whose bytes are out of reach is overwritten, and the edit is sent later",
        arguments: Gesture.allCases,
        ["", "two"])
    func overwritten(gesture: Gesture, text: String) throws {
        try overwrite(gesture, with: text)
        #expect(try device.text("a") == text)
        try device.settle()
        #expect(try device.remote(document)?.digest == ContentReference.of(text).digest)
        #expect(try device.remote(document)?.conflicts.isEmpty == true)
        #expect(try device.unrest == [])
        #expect(device.files.openFileCounts.all == 0)
    }

    @Test("another device's edit that crosses it becomes a version in conflict", arguments: Gesture.allCases)
    func crossing(gesture: Gesture) throws {
        try overwrite(gesture, with: "two")
        try device.fold(.edit(document, from: "one", to: "three"))
        try device.settle()
        let item = try #require(try device.remote(document))
        let contents = [item.body.content?.reference] + item.conflicts.map { $0.content.reference }
        #expect(Set(contents) == [.of("two"), .of("three")])
    }

    @Test("a document that is open for reading is overwritten, too; its reader gets no bytes of another content")
    func openForReading() throws {
        let source = try #require(device.files.source as? IdleContentSource)
        source.isOffline.store(false, ordering: .relaxed)
        let reader = try device.files.open(try device.node("a"), canWrite: false, truncate: false)
        source.isOffline.store(true, ordering: .relaxed)
        try overwrite(.write, with: "two")
        #expect(try device.text(of: reader) == "two")
        device.files.release(reader)
        try device.settle()
        #expect(try device.remote(document)?.digest == ContentReference.of("two").digest)
    }

    @Test("after a crash right after the truncation the document is empty, and that is sent")
    func crash() throws {
        let handle = try device.files.open(try device.node("a"), canWrite: true, truncate: true)
        let restarted = try KernellessDevice(restarting: device)
        try Recovery(
            metadata: restarted.metadata, content: restarted.content, time: restarted.time, log: restarted.context.log
        ).run()
        try restarted.settle()
        #expect(try restarted.remote(document)?.digest == ContentReference.of("").digest)
        device.files.release(handle)
    }
}
