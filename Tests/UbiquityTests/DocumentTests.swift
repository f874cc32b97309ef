import Foundation
import Synchronization
import Testing
import Ubiquity

/// A text document outside of every mount.
// All mutable state is behind a Mutex.
private final class TextDocument: UbiquitousDocument, @unchecked Sendable {
    private let content = Mutex("")
    private let wasDeleted = Mutex(false)

    var text: String { content.withLock { $0 } }
    var isDeleted: Bool { wasDeleted.withLock { $0 } }

    func type(_ text: String) {
        content.withLock { $0 += text }
        updateChangeCount(.done)
    }

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }
    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        let text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
        content.withLock { $0 = text }
    }
    override func documentWasDeleted() { wasDeleted.withLock { $0 = true } }

    private let disabled = Mutex((now: 0, times: 0))
    var isEditable: Bool { disabled.withLock { $0.now == 0 } }
    var timesDisabled: Int { disabled.withLock { $0.times } }
    override func disableEditing() { disabled.withLock { $0 = ($0.now + 1, $0.times + 1) } }
    override func enableEditing() { disabled.withLock { $0.now -= 1 } }
}

/// A document stored as a folder with a single file.
private final class FolderDocument: UbiquitousDocument, @unchecked Sendable {
    override func contents(forType typeName: String) throws -> Any { "inside" }
    override func writeContents(_ contents: Any, to url: URL) throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Data("\(contents)".utf8).write(to: url.appending(path: "text"))
    }
}

@Suite("Documents")
struct DocumentTests {
    /// Runs `body` with an open document containing the text 1.
    private func inDocument(_ body: (URL, TextDocument) async throws -> Void) async throws {
        try await inFolder { folder in
            let url = folder.appending(path: "a.txt")
            try Data("1".utf8).write(to: url)
            let document = TextDocument(fileURL: url)
            try await document.open()
            try await body(url, document)
        }
    }

    private func read(_ url: URL) -> String? { try? String(contentsOf: url, encoding: .utf8) }

    @Test("a document is created, edited, closed and opened again with its edits")
    func life() async throws {
        try await inFolder { folder in
            let url = folder.appending(path: "a.txt")
            let document = TextDocument(fileURL: url)
            #expect(document.documentState == .closed)
            document.type("one")
            try await document.save(to: url, for: .forCreating)
            #expect(document.documentState == .normal && !document.hasUnsavedChanges && read(url) == "one")
            document.type(", two")
            #expect(document.hasUnsavedChanges)
            try await document.close()
            #expect(document.documentState == .closed && read(url) == "one, two")
            let again = TextDocument(fileURL: url)
            try await again.open()
            #expect(again.text == "one, two" && again.fileModificationDate != nil && again.localizedName == "a")
            try await again.close()
            let third = TextDocument(fileURL: url)
            third.type("x")
            await #expect(throws: CocoaError.self) { try await third.save(to: url, for: .forCreating) }
            #expect(read(url) == "one, two" && third.documentState.contains(.savingError))
        }
    }

    @Test("an edit is saved automatically")
    func autosave() async throws {
        try await inDocument { url, document in
            document.autosaveDelay = 0.01
            document.type("2")
            // The document saves by a clock outside the test's control, so the test polls.
            while document.hasUnsavedChanges { await Task.yield() }
            #expect(read(url) == "12")
            try await document.close()
        }
    }

    @Test("another coordinator's read gets unsaved edits, and its write is read by the document")
    func coordination() async throws {
        try await inDocument { url, document in
            document.type("2")
            let seen = try await NSFileCoordinator().coordinate(readingItemAt: url) {
                try String(contentsOf: $0, encoding: .utf8)
            }
            #expect(seen == "12")
            try await NSFileCoordinator().coordinate(writingItemAt: url) { try Data("3".utf8).write(to: $0) }
            while document.text != "3" { await Task.yield() }
            #expect(!document.hasUnsavedChanges)
            try await document.close()
            #expect(read(url) == "3")
        }
    }

    @Test("a plain program's write over unsaved edits is kept beside them")
    func keepsBoth() async throws {
        try await inDocument { url, document in
            document.type("mine")
            try Data("theirs".utf8).write(to: url)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 9)], ofItemAtPath: url.path)
            try await document.save()
            #expect(
                read(url) == "1mine" && read(url.deletingLastPathComponent().appending(path: "a 2.txt")) == "theirs")
            try await document.close()
        }
    }

    @Test("a document follows its file, and closes when that is deleted")
    func movesAndDeletion() async throws {
        try await inFolder { folder in
            let (old, new) = (folder.appending(path: "a.txt"), folder.appending(path: "b.txt"))
            try Data("1".utf8).write(to: old)
            let document = TextDocument(fileURL: old)
            try await document.open()
            var error: NSError?
            let coordinator = NSFileCoordinator()
            coordinator.coordinate(
                writingItemAt: old, options: .forMoving, writingItemAt: new, options: .forReplacing, error: &error
            ) { from, to in
                try? FileManager.default.moveItem(at: from, to: to)
                coordinator.item(at: from, didMoveTo: to)
            }
            while document.fileURL.lastPathComponent != "b.txt" { await Task.yield() }
            document.type("2")
            try await document.save()
            #expect(read(new) == "12" && read(old) == nil)
            coordinator.coordinate(writingItemAt: document.fileURL, options: .forDeleting, error: &error) {
                try? FileManager.default.removeItem(at: $0)
            }
            #expect(document.isDeleted && document.documentState.contains(.closed) && error == nil)
            try await document.close()
            #expect(read(new) == nil, "a deleted document does not come back")
        }
    }

    @Test("unsaved edits are saved before another coordinator deletes the document")
    func unsavedEditsAtDeletion() async throws {
        try await inDocument { url, document in
            document.autosaveDelay = 3_600
            document.type("2")
            var seen: String?
            var error: NSError?
            NSFileCoordinator().coordinate(writingItemAt: url, options: .forDeleting, error: &error) { actual in
                seen = read(actual)
                try? FileManager.default.removeItem(at: actual)
            }
            #expect(seen == "12" && error == nil)
            #expect(document.isDeleted && document.documentState.contains(.closed) && !document.hasUnsavedChanges)
        }
    }

    @Test("saving the edits of a change token leaves later edits unsaved")
    func tokens() async throws {
        try await inDocument { url, document in
            document.autosaveDelay = 60
            document.type("2")
            let token = document.changeCountToken(for: .forOverwriting)
            document.type("3")
            document.updateChangeCount(withToken: token, for: .forOverwriting)
            #expect(document.hasUnsavedChanges)
            document.updateChangeCount(
                withToken: document.changeCountToken(for: .forOverwriting), for: .forOverwriting)
            #expect(!document.hasUnsavedChanges)
            document.updateChangeCount(withToken: token, for: .forOverwriting)
            #expect(!document.hasUnsavedChanges, "an old token takes nothing back")
            #expect(document.savingFileType == "txt")
            #expect(document.fileNameExtension(forType: "txt", saveOperation: .forCreating) == "txt")
            try await document.close()
            #expect(read(url) == "1")
        }
    }

    @Test("editing is disabled while another coordinator writes or the document is read again, and enabled as often")
    func editing() async throws {
        try await inDocument { url, document in
            try await NSFileCoordinator().coordinate(writingItemAt: url) { url in
                #expect(document.isEditable == false)
                try Data("3".utf8).write(to: url)
            }
            while document.text != "3" || !document.isEditable { await Task.yield() }
            try await document.revert(toContentsOf: url)
            #expect(document.isEditable && document.timesDisabled >= 2)
            await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                document.performAsynchronousFileAccess { done.resume() }
            }
            try await document.close()
        }
    }

    @Test("a document that is a folder is read and written by its own methods, and each new state is posted")
    func folder() async throws {
        try await inFolder { folder in
            let url = folder.appending(path: "a.rtfd")
            let document = FolderDocument(fileURL: url)
            let states = Mutex(0)
            let observer = NotificationCenter.default.addObserver(
                forName: UbiquitousDocument.stateChangedNotification, object: document, queue: nil
            ) { _ in states.withLock { $0 += 1 } }
            defer { NotificationCenter.default.removeObserver(observer) }
            document.updateChangeCount(.done)
            try await document.save(to: url, for: .forCreating)
            #expect(read(url.appending(path: "text")) == "inside" && document.fileType == "rtfd")
            try await document.close()
            while states.withLock({ $0 }) < 2 { await Task.yield() }
        }
    }

    @Test("reverting discards unsaved edits")
    func revert() async throws {
        try await inDocument { url, document in
            document.type("2")
            try await document.revert(toContentsOf: url)
            #expect(document.text == "1" && !document.hasUnsavedChanges)
            try await document.close()
        }
    }
}
