import Basics
import DeviceSupport
import Glibc
import LocalContent
import LocalMetadata
import Testing
import VirtualFileSystem

/// Requests for files without names, still known to the kernel: it looked up their names a moment before.
@Suite("Files that were just removed")
struct RemovedFileTests {
    private let test: KernellessDevice

    init() throws { test = try KernellessDevice() }

    private func isGone(_ blob: BlobName) -> Bool { (try? test.content.status(blob)) == nil }

    @Test("a file that is replaced after its look-up is opened with its own bytes, until the kernel forgets it")
    func replaced() throws {
        let old = try test.save("a", "old")
        let blob = try #require(try test.row("a")).blob
        try test.save("new", "new")
        try test.rename("new", to: "a")
        for _ in 0..<2 {
            let handle = try test.files.open(old, canWrite: false, truncate: false)
            #expect(try test.text(of: handle) == "old")
            #expect(try test.files.attributes(of: old).size == 3)
            test.files.release(handle)
        }
        #expect(try test.text("a") == "new")
        test.files.forget(old)
        #expect(throws: Errno(ESTALE)) { try test.files.open(old, canWrite: false, truncate: false) }
        test.files.removeBlobsNow()
        #expect(isGone(blob))
    }

    @Test("what is written to a file that was removed after its look-up goes nowhere")
    func written() throws {
        let old = try test.save("a", "old")
        let blob = try #require(try test.row("a")).blob
        try test.remove("a")
        let handle = try test.files.open(old, canWrite: true, truncate: false)
        try test.write("gone", to: handle)
        #expect(try test.text(of: handle) == "gone")
        test.files.release(handle)
        #expect(try test.names().isEmpty)
        test.files.removeBlobsNow()
        #expect(isGone(blob))
    }

    @Test("an empty file that was removed after its look-up is opened, and leaves no bytes behind")
    func empty() throws {
        let old = try test.save("a", "")
        let blob = try #require(try test.row("a")).blob
        try test.remove("a")
        test.files.release(try test.files.open(old, canWrite: false, truncate: false))
        test.files.removeBlobsNow()
        #expect(isGone(blob))
    }

    @Test("a file whose removal failed is opened by its row")
    func failedRemoval() throws {
        let node = try test.save("a", "text")
        #expect(throws: Errno(ENOTDIR)) { try test.files.removeFolder(Array("a".utf8), in: test.documents) }
        try test.edit("a", "longer text")
        let handle = try test.files.open(node, canWrite: false, truncate: false)
        #expect(try test.text(of: handle) == "longer text")
        test.files.release(handle)
    }

    @Test("of opens that race with saves by rename none fails")
    func race() async throws {
        try test.save("a", "0")
        let test = test
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for index in 1...300 {
                    try test.save("new", "\(index)")
                    try test.rename("new", to: "a")
                }
            }
            group.addTask {
                for _ in 0..<1_000 {
                    let node = try test.files.lookup(Array("a".utf8), in: test.documents).node
                    let handle = try test.files.open(node, canWrite: false, truncate: false)
                    #expect(try UInt64(test.text(of: handle)) != nil)
                    test.files.release(handle)
                }
            }
            try await group.waitForAll()
        }
        #expect(test.files.openFileCounts.all == 0)
    }
}
