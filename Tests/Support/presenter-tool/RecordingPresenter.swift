import Foundation
import Synchronization
import Ubiquity

/// Says what it is sent.
// What changes is behind a Mutex.
final class RecordingPresenter: NSObject, NSFilePresenter, @unchecked Sendable {
    let presentedItemOperationQueue = OperationQueue()
    private let url: Mutex<URL?>
    private let isDeaf: Bool
    private let yields: Bool
    private let go: String?

    init(_ url: URL, isDeaf: Bool, yields: Bool, go: String?) {
        self.url = Mutex(url)
        self.isDeaf = isDeaf
        self.yields = yields
        self.go = go
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
        completionHandler(nil)
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
        PresenterTool.say("gained a version of \(version.localizedNameOfSavingComputer ?? "nobody")")
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
