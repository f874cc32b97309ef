import Foundation
import Synchronization
import Ubiquity

/// A note that is open: its text in memory, and the file that it is kept in. Saves when somebody else wants to read it, makes way when
/// somebody else writes, and reads again what others wrote.
// What changes is behind a Mutex.
final class Note: NSObject, NSFilePresenter, @unchecked Sendable {
    private struct State {
        var url: URL
        var text = ""
        var isEdited = false
    }

    let presentedItemOperationQueue = OperationQueue()
    private let state: Mutex<State>
    /// Told what happens to the note.
    private let report: @Sendable (String) -> Void

    init(_ url: URL, report: @escaping @Sendable (String) -> Void) {
        state = Mutex(State(url: url))
        self.report = report
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
    }

    var text: String { state.withLock { $0.text } }

    // MARK: Life

    /// Reads the note, and presents it from then on. Added inside the read: nothing can happen in between that it would not hear of.
    func open() throws {
        try read { NSFileCoordinator.addFilePresenter(self) }
    }

    func close() throws {
        defer { NSFileCoordinator.removeFilePresenter(self) }
        try save()
    }

    func append(_ line: String) {
        state.withLock { state in
            state.text += line + "\n"
            state.isEdited = true
        }
    }

    // MARK: The file

    private func read(inside: () -> Void = {}) throws {
        var coordination: NSError?
        var failure: (any Error)?
        NSFileCoordinator(filePresenter: self).coordinate(
            readingItemAt: state.withLock { $0.url }, options: [], error: &coordination
        ) { url in
            do {
                let text =
                    FileManager.default.fileExists(atPath: url.path) ? try String(contentsOf: url, encoding: .utf8) : ""
                // What was typed here and not saved is not given up for what others wrote.
                state.withLock { state in state.text = state.isEdited ? text + state.text : text }
                inside()
            } catch { failure = error }
        }
        if let failure = failure ?? coordination { throw failure }
    }

    func save() throws {
        guard state.withLock({ $0.isEdited }) else { return }
        var coordination: NSError?
        var failure: (any Error)?
        NSFileCoordinator(filePresenter: self).coordinate(
            writingItemAt: state.withLock { $0.url }, options: [], error: &coordination
        ) { url in
            do {
                let text = state.withLock { state in
                    state.isEdited = false
                    return state.text
                }
                try Data(text.utf8).write(to: url)
            } catch {
                state.withLock { $0.isEdited = true }
                failure = error
            }
        }
        if let failure = failure ?? coordination { throw failure }
    }

    // MARK: NSFilePresenter

    var presentedItemURL: URL? { state.withLock { $0.url } }

    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        report("save")
        do {
            try save()
            completionHandler(nil)
        } catch { completionHandler(error) }
    }

    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        // What is not saved yet would be lost under what the other writes.
        do { try save() } catch { report("not saved: \(error.localizedDescription)") }
        report("make way")
        writer { [report] in report("take back") }
    }

    func presentedItemDidChange() {
        do {
            try read()
            report("changed: \(text.split(separator: "\n").last ?? "")")
        } catch { report("not read: \(error.localizedDescription)") }
    }

    func presentedItemDidMove(to newURL: URL) {
        state.withLock { $0.url = newURL }
        report("moved: \(newURL.lastPathComponent)")
    }

    func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        report("deleted")
        state.withLock { $0.isEdited = false }
        completionHandler(nil)
    }
}
