import Foundation
import Synchronization
import Testing
import Ubiquity

/// Tests outside of every mount, where this process decides alone.
@Suite("NSFilePresenter")
struct PresenterTests {
    /// Registers presenters while `body` runs.
    private func presenting(_ notes: Note..., body: () throws -> Void) rethrows {
        for note in notes { NSFileCoordinator.addFilePresenter(note) }
        defer { for note in notes { NSFileCoordinator.removeFilePresenter(note) } }
        try body()
    }

    @Test(
        "a reader waits until the presenter has relinquished and saved, and the presenter then reacquires the document")
    func reader() throws {
        try inFolder { folder in
            let url = folder.appending(path: "a.txt")
            let note = Note(url) { event, note in
                guard event == "save" else { return }
                NSFileCoordinator(filePresenter: note).coordinate(writingItemAt: url, error: nil) {
                    try? Data("saved".utf8).write(to: $0)
                }
            }
            presenting(note) {
                var read: String?
                NSFileCoordinator().coordinate(readingItemAt: url, error: nil) {
                    read = try? String(contentsOf: $0, encoding: .utf8)
                }
                #expect(read == "saved")
                #expect(note.wait(3) == ["reader", "save", "reader is over"])
            }
        }
    }

    @Test("other presenters are notified of a writer's change once it is over, its own presenter is not")
    func writer() throws {
        try inFolder { folder in
            let url = folder.appending(path: "a.txt")
            try Data("x".utf8).write(to: url)
            let (own, other, above) = (Note(url), Note(url), Note(folder))
            presenting(own, other, above) {
                NSFileCoordinator(filePresenter: own).coordinate(writingItemAt: url, error: nil) { _ in }
                #expect(Set(other.wait(3)) == ["writer", "writer is over", "changed"])
                #expect(above.wait(1) == ["changed a.txt"])
                #expect(own.events.withLock { $0 }.isEmpty)
            }
        }
    }

    @Test("an error of a presenter is the error of the access, whose accessor does not run")
    func failure() throws {
        try inFolder { folder in
            let note = Note(folder.appending(path: "a.txt"))
            note.saveError = CocoaError(.fileWriteOutOfSpace)
            presenting(note) {
                var error: NSError?
                NSFileCoordinator().coordinate(readingItemAt: folder.appending(path: "a.txt"), error: &error) { _ in
                    Issue.record("it ran")
                }
                #expect(error?.cocoa == .fileLocking)
            }
        }
    }

    @Test("an announced move updates the presenter's URL, and a deletion asks the presenter")
    func movesAndDeletion() throws {
        try inFolder { folder in
            let (old, new) = (folder.appending(path: "a.txt"), folder.appending(path: "b.txt"))
            try Data("x".utf8).write(to: old)
            let note = Note(old)
            note.callbacks = [.didMove, .accommodateDeletion]
            try presenting(note) {
                let mover = NSFileCoordinator()
                mover.coordinate(
                    writingItemAt: old, options: .forMoving, writingItemAt: new, options: .forReplacing, error: nil
                ) { source, target in
                    try? FileManager.default.moveItem(at: source, to: target)
                    mover.item(at: source, didMoveTo: target)
                }
                #expect(note.wait(1) == ["moved to b.txt"])
                NSFileCoordinator().coordinate(writingItemAt: new, options: .forDeleting, error: nil) {
                    try? FileManager.default.removeItem(at: $0)
                }
                #expect(note.wait(1) == ["moved to b.txt", "deletion"])
                try #expect(FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
            }
        }
    }

    @Test("the async forms of callbacks are called, and an error of one is the error of the access")
    func asyncForms() async throws {
        try await inFolder { folder in
            let url = folder.appending(path: "a.txt")
            let presenter = TaskPresenter(url)
            NSFileCoordinator.addFilePresenter(presenter)
            defer { NSFileCoordinator.removeFilePresenter(presenter) }
            // Coordinates without blocking a thread of the pool, because the presenter's tasks need one.
            let read = try await NSFileCoordinator().coordinate(readingItemAt: url) {
                try String(contentsOf: $0, encoding: .utf8)
            }
            #expect(read == "saved by a task")
            let error = await #expect(throws: NSError.self) {
                try await NSFileCoordinator().coordinate(writingItemAt: url, options: .forDeleting) { _ in
                    Issue.record("it ran")
                }
            }
            #expect(error?.cocoa == .fileLocking)
        }
    }

    @Test("two presenters that each read inside presentedItemDidChange can both read")
    func didChangeDeadlock() throws {
        try inFolder { folder in
            let url = folder.appending(path: "a.txt")
            try Data("x".utf8).write(to: url)
            let reads = Mutex(0)
            let onEvent: @Sendable (String, Note) -> Void = { event, note in
                guard event == "changed" else { return }
                NSFileCoordinator(filePresenter: note).coordinate(readingItemAt: url, error: nil) { _ in
                    reads.withLock { $0 += 1 }
                }
            }
            let (first, second) = (Note(url, onEvent), Note(url, onEvent))
            first.callbacks = [.relinquishToReader, .relinquishToWriter, .saveChanges, .didChange]
            second.callbacks = first.callbacks
            presenting(first, second) {
                NSFileCoordinator().coordinate(writingItemAt: url, error: nil) { _ in }
                while reads.withLock({ $0 }) < 2 { sched_yield() }
            }
            #expect(reads.withLock { $0 } == 2)
        }
    }

    @Test("a presenter without an item presents it once a coordinator made for it coordinates")
    func late() throws {
        try inFolder { folder in
            let url = folder.appending(path: "a.txt")
            let note = Note(nil)
            presenting(note) {
                note.present(url)
                NSFileCoordinator(filePresenter: note).coordinate(writingItemAt: url, error: nil) { _ in }
                NSFileCoordinator().coordinate(readingItemAt: url, options: .withoutChanges, error: nil) { _ in }
                #expect(note.wait(1).first == "reader")
            }
            #expect(!NSFileCoordinator.filePresenters.contains { $0 === note })
        }
    }
}

/// A presenter with the asynchronous forms of the replying methods.
private final class TaskPresenter: NSObject, NSFilePresenter, @unchecked Sendable {
    private let url: URL
    let presentedItemOperationQueue = OperationQueue()
    var presentedItemURL: URL? { url }

    init(_ url: URL) { self.url = url }

    func savePresentedItemChanges() async throws {
        try await NSFileCoordinator(filePresenter: self).coordinate(writingItemAt: url) {
            try Data("saved by a task".utf8).write(to: $0)
        }
    }

    func accommodatePresentedItemDeletion() async throws { throw CocoaError(.fileWriteNoPermission) }
}
