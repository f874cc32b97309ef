import Foundation
import Synchronization
import Ubiquity

/// An open note: a document whose contents are its text. It reports what happens to it.
// All mutable state is protected by a Mutex.
final class Note: UbiquitousDocument, @unchecked Sendable {
    private let content = Mutex("")
    /// Called with what happens to the note.
    private let report: @Sendable (String) -> Void

    init(_ url: URL, report: @escaping @Sendable (String) -> Void) {
        self.report = report
        super.init(fileURL: url)
        // Long enough to show that another access requests a save before that.
        autosaveDelay = 60
    }

    var text: String { content.withLock { $0 } }

    func append(_ line: String) {
        content.withLock { $0 += line + "\n" }
        updateChangeCount(.done)
    }

    // MARK: The file

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        let text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
        content.withLock { $0 = text }
    }

    /// A note that does not exist yet is an empty one.
    override func readContents(at url: URL) throws -> Any {
        FileManager.default.fileExists(atPath: url.path) ? try super.readContents(at: url) : Data()
    }

    override func handleError(_ error: any Error, userInteractionPermitted: Bool) {
        report("error: \(error.localizedDescription)")
    }

    // MARK: What others do

    override func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        report("save")
        super.savePresentedItemChanges(completionHandler: completionHandler)
    }

    override func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        report("make way")
        super.relinquishPresentedItem(toWriter: { [report] reacquire in
            writer {
                reacquire?()
                report("take back")
            }
        })
    }

    override func presentedItemDidChange() {
        super.presentedItemDidChange()
        report("changed: \(text.split(separator: "\n").last ?? "")")
    }

    override func presentedItemDidMove(to newURL: URL) {
        super.presentedItemDidMove(to: newURL)
        report("moved: \(newURL.lastPathComponent)")
    }

    override func documentWasDeleted() { report("deleted") }
}
