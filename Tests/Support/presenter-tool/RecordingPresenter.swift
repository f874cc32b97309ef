import Foundation
import Synchronization
import Ubiquity

/// A presenter that prints each callback.
// All mutable state is behind a Mutex.
final class RecordingPresenter: NSObject, NSFilePresenter, @unchecked Sendable {
    let presentedItemOperationQueue = OperationQueue()
    private let url: Mutex<URL?>
    private let isDeaf: Bool
    private let yields: Bool
    private let go: String?
    /// Typed text not yet saved.
    private let unsaved: Mutex<String?>

    init(_ url: URL, isDeaf: Bool, yields: Bool, go: String?, unsaved: String? = nil) {
        self.url = Mutex(url)
        self.isDeaf = isDeaf
        self.yields = yields
        self.go = go
        self.unsaved = Mutex(unsaved)
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
    }

    var presentedItemURL: URL? { url.withLock { $0 } }

    func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        PresenterTool.say("reader")
        if !isDeaf { reader { PresenterTool.say("back") } }
    }

    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        PresenterTool.say("writer")
        if !isDeaf { writer { PresenterTool.say("back") } }
    }

    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        PresenterTool.say("save")
        let text = unsaved.withLock { unsaved in
            defer { unsaved = nil }
            return unsaved
        }
        guard let text, let url = presentedItemURL else { return completionHandler(nil) }
        var error: NSError?
        NSFileCoordinator(filePresenter: self).coordinate(writingItemAt: url, error: &error) { url in
            do { try Data(text.utf8).write(to: url) } catch { PresenterTool.say("\(error)") }
        }
        completionHandler(error)
    }

    func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        PresenterTool.say("deletion")
        completionHandler(nil)
    }

    func accommodatePresentedItemEviction(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        PresenterTool.say("eviction")
        completionHandler(yields ? nil : CocoaError(.fileLocking))
    }

    func presentedItemDidMove(to newURL: URL) {
        url.withLock { $0 = newURL }
        PresenterTool.say("moved \(newURL.lastPathComponent)")
    }

    func presentedItemDidChange() {
        PresenterTool.say("changed")
        if let go { PresenterTool.wait(for: go) }
    }

    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {
        for name in attributes.map(\.rawValue).sorted() { PresenterTool.say("attribute \(name)") }
    }

    func presentedItemDidLose(_ version: NSFileVersion) {
        PresenterTool.say("lost \(version.persistentIdentifier)")
    }

    func presentedItemDidGain(_ version: NSFileVersion) {
        PresenterTool.say("gained a version of \(version.localizedNameOfSavingComputer ?? "unknown")")
    }

    func presentedItemDidResolveConflict(_ version: NSFileVersion) {
        PresenterTool.say(version.isResolved ? "resolved" : "not resolved")
    }

    func presentedSubitemDidAppear(at url: URL) { PresenterTool.say("appeared \(url.lastPathComponent)") }

    func presentedSubitemDidChange(at url: URL) { PresenterTool.say("subitem \(url.lastPathComponent)") }

    func presentedSubitem(at old: URL, didMoveTo new: URL) {
        PresenterTool.say("moved \(old.lastPathComponent) to \(new.lastPathComponent)")
    }

    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        PresenterTool.say("deletion \(url.lastPathComponent)")
        completionHandler(nil)
    }
}
