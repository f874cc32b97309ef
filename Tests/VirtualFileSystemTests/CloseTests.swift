import Basics
import Chunking
import CloudModel
import DeviceSupport
import Dispatch
import Foundation
import Glibc
import LocalMetadata
import Synchronization
import Testing
import VirtualFileSystem

/// Closes waiting for a transaction with other changes.
@Suite("Closes that wait")
struct CloseTests {
    private let test: KernellessDevice
    private let timer = HeldTimer()

    init() throws {
        test = try KernellessDevice(closing: timer.closing)
    }

    @Test("a file that is made, written and closed costs one transaction, which records the close of the file before")
    func oneTransaction() throws {
        try test.save("first", "text")
        let writes = test.metadata.writes
        for index in 0..<10 { try test.save("file \(index)", "text \(index)") }
        #expect(test.metadata.writes == writes + 10)
        timer.fire()
        #expect(test.metadata.writes == writes + 11)
        for index in 0..<10 {
            let row = try #require(try test.row("file \(index)"))
            #expect(!row.isWriting && row.isEdited && row.size == 6 && row.pendingSince != nil)
        }
        #expect(test.files.openFileCounts.all == 0)
    }

    @Test("until its close is recorded, a file is shown as it is, and its row says that it is being written")
    func shown() throws {
        let node = try test.save("a", "text")
        #expect(try test.files.attributes(of: node).size == 4)
        #expect(try test.files.lookup(Array("a".utf8), in: test.documents).size == 4)
        #expect(try test.files.entries(of: test.documents, after: 0, limit: 10).map(\.attributes.size) == [4])
        let row = try #require(try test.row("a"))
        #expect(row.isWriting && row.size == 0 && row.pendingSince == nil)
        let shown = try test.files.attributes(of: node)
        test.files.recordCloses()
        #expect(try test.files.attributes(of: node) == shown)
    }

    @Test("a time that is set after the close stays, and is recorded with the close")
    func timeAfterClose() throws {
        let node = try test.save("a", "text")
        let writes = test.metadata.writes
        var request = AttributeRequest()
        request.modified = .at(Timestamp(seconds: 12))
        let set = try test.files.setAttributes(of: node, request)
        #expect(test.metadata.writes == writes)
        #expect(set.size == 4 && set.modified == Timestamp(seconds: 12))
        timer.fire()
        #expect(test.metadata.writes == writes + 1)
        let row = try #require(try test.row("a"))
        #expect(row.size == 4 && row.attributes.modified == Timestamp(seconds: 12) && !row.isWriting)
        #expect(row.pendingSince != nil)
        #expect(test.files.openFileCounts.all == 0)
    }

    @Test("chmod after the close keeps what was written")
    func modeAfterClose() throws {
        let node = try test.save("a", "text")
        var request = AttributeRequest()
        request.permissions = 0o600
        _ = try test.files.setAttributes(of: node, request)
        timer.fire()
        let row = try #require(try test.row("a"))
        #expect(row.size == 4 && row.attributes.permissions == 0o600 && !row.isWriting)
    }

    @Test("a file that is opened for writing again before its close is recorded needs no transaction for that")
    func openedAgain() throws {
        let node = try test.save("a", "text")
        let writes = test.metadata.writes
        let handle = try test.files.open(node, canWrite: true, truncate: false)
        #expect(test.metadata.writes == writes)
        timer.fire()
        // The transaction must not have marked the file as no longer being written.
        #expect(try test.row("a")?.isWriting == true)
        try test.write("longer text", to: handle)
        test.files.release(handle)
        timer.fire()
        let row = try #require(try test.row("a"))
        #expect(row.size == 11 && !row.isWriting && row.isEdited)
        #expect(test.files.openFileCounts.all == 0)
    }

    @Test("a file that is opened and closed again and again is recorded once a second")
    func openedForLong() throws {
        let node = try test.save("a", "text")
        var recorded = 0
        for round in 1...30 {
            test.time.advance(by: .milliseconds(100))
            let handle = try test.files.open(node, canWrite: true, truncate: false)
            try test.write(String(repeating: "x", count: 4 + round), to: handle)
            if try test.row("a")?.size != 0 { recorded += 1 }
            test.files.release(handle)
        }
        #expect(recorded > 0)
        timer.fire()
        #expect(try test.row("a")?.size == 34)
    }

    @Test("renaming a closed file over a document is one transaction with its close")
    func atomicSave() throws {
        let document = try test.save("document", "old")
        test.files.recordCloses()
        try test.save("new", "newer text")
        let writes = test.metadata.writes
        try test.files.rename(
            Array("new".utf8), in: test.documents, to: Array("document".utf8), in: test.documents, mode: .replace)
        #expect(test.metadata.writes == writes + 1)
        let row = try #require(try test.row("document"))
        #expect(row.size == 10 && !row.isWriting && row.isEdited && row.pendingSince != nil && row.node != document)
    }

    @Test("the close of a file that was removed meanwhile costs nothing, and the file does not stay open")
    func removed() throws {
        let node = try test.save("a", "text")
        let writes = test.metadata.writes
        try test.remove("a")
        #expect(test.files.openFileCounts.all == 0)
        timer.fire()
        #expect(test.metadata.writes == writes + 1)
        #expect(test.files.openFileCounts.all == 0)
        #expect(try test.files.attributes(of: node).links == 0)
    }

    @Test("a transaction that fails leaves the closes to the next one")
    func failedTransaction() throws {
        try test.save("a", "text")
        #expect(throws: Errno(EEXIST)) { _ = try test.makeFolder("a") }
        #expect(try test.row("a")?.isWriting == true)
        timer.fire()
        #expect(try test.row("a")?.isWriting == false && test.row("a")?.size == 4)
    }

    @Test("a close that the database refuses is retried, also if the file was opened again meanwhile")
    func refused() throws {
        let isRefusing = Mutex(false)
        let timer = HeldTimer()
        let test = try KernellessDevice(
            closing: timer.closing,
            onCall: { call in
                guard call == .commit, isRefusing.withLock({ $0 }) else { return }
                throw MetadataError(.noSpace, "full")
            })
        let node = try test.save("a", "text")
        isRefusing.withLock { $0 = true }
        timer.fire()
        #expect(try test.row("a")?.isWriting == true)
        #expect(try test.files.attributes(of: node).size == 4)
        #expect(try !test.files.status(of: node).isUploaded)
        isRefusing.withLock { $0 = false }
        test.files.noteIdleEdits(pause: .zero)
        #expect(try test.row("a")?.isWriting == false && test.row("a")?.size == 4)
        #expect(test.files.openFileCounts.all == 0)
    }

    @Test("a close that a running transaction has taken still counts, and is recorded if that transaction fails")
    func taken() async throws {
        let held = HeldCommit()
        let test = try KernellessDevice(closing: timer.closing, onCall: held.pass)
        try test.save("a", "text")
        held.holdNext()
        let creating = Task.onThread { try test.makeFolder("b") }
        held.untilHeld()
        #expect(test.files.hasWaitingCloses)
        let recording = Task.onThread { test.files.recordCloses() }
        held.fail()
        await #expect(throws: MetadataError.self) { _ = try await creating.value }
        try await recording.value
        #expect(try test.row("a")?.isWriting == false && test.row("a")?.size == 4)
        #expect(test.files.openFileCounts.all == 0)
    }

    @Test("a document whose close waits is not shown as uploaded")
    func status() throws {
        let node = try test.save("a", "text")
        test.files.recordCloses()
        try upload(node, "text")
        #expect(try test.files.status(of: node).isUploaded)
        try test.edit("a", "more")
        #expect(test.files.hasWaitingCloses)
        #expect(try !test.files.status(of: node).isUploaded)
    }

    /// Marks a document as uploaded, as the engine does while it is open.
    private func upload(_ node: NodeID, _ text: String) throws {
        try test.metadata.write { transaction in
            var row = try #require(try transaction.local.item(node))
            (row.isEdited, row.pendingSince, row.isKnown) = (false, nil, true)
            row.content = ContentReference(digest: .of(Array(text.utf8)), size: UInt64(text.utf8.count), layout: .chunk)
            try transaction.local.update(row)
        }
    }

    @Test("the mode of an open document uploaded meanwhile is sent after the close")
    func modeAfterUpload() throws {
        let node = try test.save("a", "text")
        let handle = try test.files.open(node, canWrite: true, truncate: false)
        try test.write("longer text", to: handle)
        try test.files.noteEdits(atAndBelow: [node])
        try upload(node, "longer text")
        var request = AttributeRequest()
        request.permissions = 0o600
        _ = try test.files.setAttributes(of: node, request)
        test.files.release(handle)
        timer.fire()
        let row = try #require(try test.row("a"))
        #expect(row.attributes.permissions == 0o600 && !row.isWriting && row.pendingSince != nil)
    }

    @Test("the time of an uploaded document that a program still reads is no edit of its bytes")
    func timeAfterUpload() throws {
        let node = try test.save("a", "text")
        let reader = try test.files.open(node, canWrite: false, truncate: false)
        timer.fire()
        try upload(node, "text")
        var request = AttributeRequest()
        request.modified = .at(Timestamp(seconds: 12))
        _ = try test.files.setAttributes(of: node, request)
        let row = try #require(try test.row("a"))
        #expect(!row.isEdited && row.content != nil && row.pendingSince != nil)
        #expect(row.attributes.modified == Timestamp(seconds: 12))
        test.files.release(reader)
    }

    @Test("a command about a document finds the edits that were closed before it")
    func command() throws {
        let node = try test.save("a", "text")
        try test.files.setExtendedAttribute("user.ubiquity.evict", to: Array("1".utf8), of: node, mode: .any)
        #expect(try test.row("a")?.isWriting == false)
        #expect(test.files.openFileCounts.all == 0)
    }

    @Test("what changes a row after the close keeps both, whatever it is")
    func otherChanges() throws {
        for name in ["renamed", "attributed", "excluded", "one", "two", "paused"] { try test.save(name, "text") }
        try test.rename("renamed", to: "new name")
        let attributed = try test.node("attributed")
        try test.files.setExtendedAttribute("user.colour", to: [1], of: attributed, mode: .any)
        try test.files.setExtendedAttribute(
            "user.ubiquity.isExcludedFromSync", to: Array("1".utf8), of: test.node("excluded"), mode: .any)
        try test.files.setPaused(true, of: test.node("paused"))
        let one = try test.node("one")
        try test.rename("one", to: "two", mode: .exchange)
        timer.fire()
        for name in ["new name", "attributed", "excluded", "one", "two", "paused"] {
            let row = try #require(try test.row(name))
            #expect(!row.isWriting && row.isEdited && row.size == 4, "\(name)")
            #expect((row.pendingSince == nil) == (name == "excluded"), "\(name)")
        }
        #expect(try test.row("attributed")?.attributes.extended == ["user.colour": [1]])
        #expect(try test.row("excluded")?.isExcluded == true && test.row("paused")?.isPaused == true)
        #expect(try test.node("two") == one)
        #expect(test.files.openFileCounts.all == 0)
    }

    @Test("a file whose close waits is cut and extended by truncate(2)")
    func truncated() throws {
        for (name, size) in [("empty", 0), ("shorter", 2), ("longer", 9)] {
            let node = try test.save(name, "text")
            var request = AttributeRequest()
            request.size = UInt64(size)
            #expect(try test.files.setAttributes(of: node, request).size == UInt64(size))
            timer.fire()
            let row = try #require(try test.row(name))
            #expect(row.size == UInt64(size) && !row.isWriting && row.isEdited && row.pendingSince != nil)
        }
    }

    @Test("a file that is opened while its close waits is read as it was closed, and its close is recorded")
    func readMeanwhile() throws {
        let node = try test.save("a", "text")
        let reader = try test.files.open(node, canWrite: false, truncate: false)
        #expect(try test.text(of: reader) == "text")
        timer.fire()
        #expect(try test.row("a")?.isWriting == false)
        #expect(try test.files.attributes(of: node).size == 4)
        #expect(test.files.openFileCounts.all == 1)
        test.files.release(reader)
        #expect(test.files.openFileCounts.all == 0)
    }

    @Test("new items are tested by the patterns of an ignore file whose close waits")
    func ignoreFile() throws {
        try test.save(".ubiquityignore", "*.o\n")
        try test.save("a.o", "text")
        #expect(try test.row("a.o")?.exclusion == .byPattern)
        try test.save("b.o", "text")
        timer.fire()
        for name in ["a.o", "b.o"] {
            let row = try #require(try test.row(name))
            #expect(row.exclusion == .byPattern && row.pendingSince == nil && row.size == 4)
        }
    }

    @Test("closes of many threads are all recorded, and no file stays open")
    func threads() async throws {
        let test = test
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    for index in 0..<50 {
                        do {
                            let (name, text) = ("file \(thread) \(index % 7)", String(repeating: "x", count: index))
                            if index < 7 { try test.save(name, text) } else { try test.edit(name, text) }
                            let node = try test.node(name)
                            if index % 3 == 0 {
                                var request = AttributeRequest()
                                request.modified = .at(Timestamp(seconds: Int64(index)))
                                _ = try test.files.setAttributes(of: node, request)
                            }
                        } catch { Issue.record(error) }
                    }
                }
            }
        }
        test.files.recordCloses()
        for thread in 0..<8 {
            for last in 43..<50 {
                let row = try #require(try test.row("file \(thread) \(last % 7)"))
                #expect(!row.isWriting && row.size == UInt64(last))
            }
        }
        #expect(test.files.openFileCounts.all == 0)
    }
}

/// Holds the commit of a transaction, and fails it.
private final class HeldCommit: Sendable {
    private let isArmed = Mutex(false)
    private let reached = DispatchSemaphore(value: 0)
    private let end = DispatchSemaphore(value: 0)

    func holdNext() { isArmed.withLock { $0 = true } }
    func untilHeld() { reached.wait() }
    func fail() { end.signal() }

    @Sendable func pass(_ call: DatabaseCall) throws {
        let isHeld = isArmed.withLock { isArmed in
            defer { if call == .commit { isArmed = false } }
            return isArmed && call == .commit
        }
        guard isHeld else { return }
        reached.signal()
        end.wait()
        throw MetadataError(.unusable, "failed by the test")
    }
}

extension Task where Failure == any Error {
    /// Runs blocking work on a separate thread.
    fileprivate static func onThread(_ work: @escaping @Sendable () throws -> Success) -> Self {
        Task {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
            }
        }
    }
}
