import Foundation
import Synchronization
import Ubiquity

/// A presenter with every method.
final class Full: NSObject, NSFilePresenter, @unchecked Sendable {
    private let events = Mutex<[String]>([])
    private let arrival = DispatchSemaphore(value: 0)
    private let url: URL
    var observed = URLResourceKey.observableUbiquityKeys

    init(_ url: URL) { self.url = url }

    var heard: [String] { events.withLock { $0 } }

    /// Waits for one more event and returns the last.
    func wait() -> String? {
        arrival.wait()
        return heard.last
    }

    private func record(_ event: String) {
        events.withLock { $0.append(event) }
        arrival.signal()
    }

    var presentedItemURL: URL? { url }
    let presentedItemOperationQueue: OperationQueue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }()
    var primaryPresentedItemURL: URL? { nil }
    var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { observed }

    func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        record("reader")
        reader { self.record("back") }
    }
    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        record("writer")
        writer { self.record("back") }
    }
    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        record("save")
        completionHandler(nil)
    }
    func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        record("deletion")
        completionHandler(nil)
    }
    func accommodatePresentedItemEviction(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        record("eviction")
        completionHandler(nil)
    }
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        record("deletion of \(url.lastPathComponent)")
        completionHandler(nil)
    }
    func presentedItemDidMove(to newURL: URL) { record("moved") }
    func presentedItemDidChange() { record("changed") }
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {
        record("attributes \(attributes.map(\.rawValue).sorted().joined(separator: " "))")
    }
    func presentedItemDidGain(_ version: NSFileVersion) { record("gained \(version.persistentIdentifier)") }
    func presentedItemDidLose(_ version: NSFileVersion) { record("lost \(version.persistentIdentifier)") }
    func presentedItemDidResolveConflict(_ version: NSFileVersion) { record("resolved") }
    func presentedSubitemDidAppear(at url: URL) { record("appeared \(url.lastPathComponent)") }
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) { record("subitem moved") }
    func presentedSubitemDidChange(at url: URL) { record("subitem changed") }
    func presentedSubitem(at url: URL, didGain version: NSFileVersion) { record("subitem gained") }
    func presentedSubitem(at url: URL, didLose version: NSFileVersion) { record("subitem lost") }
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion) { record("subitem resolved") }
}
