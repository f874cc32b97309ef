import Foundation
import Synchronization
import Ubiquity

/// A presenter with every method there is.
final class Full: NSObject, NSFilePresenter, @unchecked Sendable {
    private let events = Mutex<[String]>([])
    private let arrival = DispatchSemaphore(value: 0)
    private let url: URL
    var observed = URLResourceKey.observableUbiquityKeys

    init(_ url: URL) { self.url = url }

    var heard: [String] { events.withLock { $0 } }

    /// Waits for one more, and answers the last.
    func wait() -> String? {
        arrival.wait()
        return heard.last
    }

    private func hear(_ event: String) {
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
        hear("reader")
        reader { self.hear("back") }
    }
    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        hear("writer")
        writer { self.hear("back") }
    }
    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        hear("save")
        completionHandler(nil)
    }
    func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        hear("deletion")
        completionHandler(nil)
    }
    func accommodatePresentedItemEviction(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        hear("eviction")
        completionHandler(nil)
    }
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        hear("deletion of \(url.lastPathComponent)")
        completionHandler(nil)
    }
    func presentedItemDidMove(to newURL: URL) { hear("moved") }
    func presentedItemDidChange() { hear("changed") }
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {
        hear("attributes \(attributes.map(\.rawValue).sorted().joined(separator: " "))")
    }
    func presentedItemDidGain(_ version: NSFileVersion) { hear("gained \(version.persistentIdentifier)") }
    func presentedItemDidLose(_ version: NSFileVersion) { hear("lost \(version.persistentIdentifier)") }
    func presentedItemDidResolveConflict(_ version: NSFileVersion) { hear("resolved") }
    func presentedSubitemDidAppear(at url: URL) { hear("appeared \(url.lastPathComponent)") }
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) { hear("subitem moved") }
    func presentedSubitemDidChange(at url: URL) { hear("subitem changed") }
    func presentedSubitem(at url: URL, didGain version: NSFileVersion) { hear("subitem gained") }
    func presentedSubitem(at url: URL, didLose version: NSFileVersion) { hear("subitem lost") }
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion) { hear("subitem resolved") }
}
