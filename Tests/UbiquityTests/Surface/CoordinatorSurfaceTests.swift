import Foundation
import Synchronization
import Testing
import Ubiquity

/// Source as it is written for Apple's platforms, each method at least once: it compiles, and does what it does there.
@Suite("The surface of NSFileCoordinator and NSFilePresenter")
struct CoordinatorSurfaceTests {
    @Test("every form of coordinate runs its accessor with the URLs that were asked for")
    func forms() throws {
        try inFolder { folder in
            let (first, second) = (folder.appending(path: "a.txt"), folder.appending(path: "b.txt"))
            let coordinator = NSFileCoordinator(filePresenter: nil)
            var error: NSError?
            coordinator.coordinate(writingItemAt: first, options: [], error: &error) { url in
                try? Data("one".utf8).write(to: url)
            }
            coordinator.coordinate(
                readingItemAt: first, options: .withoutChanges, writingItemAt: second, options: .forReplacing,
                error: &error
            ) { source, target in try? FileManager.default.copyItem(at: source, to: target) }
            var texts: [String?] = []
            coordinator.coordinate(readingItemAt: second, options: .resolvesSymbolicLink, error: &error) { url in
                texts.append(try? String(contentsOf: url, encoding: .utf8))
            }
            coordinator.coordinate(
                writingItemAt: first, options: .forMerging, writingItemAt: second,
                options: .contentIndependentMetadataOnly,
                error: &error
            ) { texts += [$0.lastPathComponent, $1.lastPathComponent] }
            coordinator.prepare(
                forReadingItemsAt: [first], options: .immediatelyAvailableMetadataOnly, writingItemsAt: [second],
                options: .forDeleting, error: &error
            ) { completion in
                coordinator.coordinate(writingItemAt: second, options: .forDeleting, error: nil) { url in
                    try? FileManager.default.removeItem(at: url)
                }
                completion()
            }
            #expect(error == nil && texts == ["one", "a.txt", "b.txt"])
            #expect(!FileManager.default.fileExists(atPath: second.path))
        }
    }

    @Test("intents are taken together, and the accessor runs on the queue")
    func intents() throws {
        try inFolder { folder in
            let reading = NSFileAccessIntent.readingIntent(with: folder.appending(path: "a"), options: .withoutChanges)
            let writing = NSFileAccessIntent.writingIntent(with: folder.appending(path: "b"), options: .forMoving)
            let queue = OperationQueue()
            let done = DispatchSemaphore(value: 0)
            let failure = Mutex<String?>("not called")
            NSFileCoordinator().coordinate(with: [reading, writing], queue: queue) { error in
                failure.withLock {
                    $0 = error.map { "\($0)" } ?? (OperationQueue.current === queue ? nil : "elsewhere")
                }
                done.signal()
            }
            done.wait()
            #expect(failure.withLock { $0 } == nil)
            #expect([reading.url.lastPathComponent, writing.url.lastPathComponent] == ["a", "b"])
        }
    }

    @Test("purposes, and a move announced before and after, which the presenter follows")
    func moves() throws {
        try inFolder { folder in
            let coordinator = NSFileCoordinator()
            coordinator.purposeIdentifier = "com.example.move"
            coordinator.purposeIdentifier = "com.example.other"
            #expect(coordinator.purposeIdentifier == "com.example.move")
            let (old, new) = (folder.appending(path: "a.txt"), folder.appending(path: "b.txt"))
            try Data().write(to: old)
            let note = Note(old)
            note.callbacks = .didMove
            NSFileCoordinator.addFilePresenter(note)
            defer { NSFileCoordinator.removeFilePresenter(note) }
            #expect(NSFileCoordinator.filePresenters.contains { $0 === note })
            coordinator.coordinate(
                writingItemAt: old, options: .forMoving, writingItemAt: new, options: .forReplacing, error: nil
            ) { source, target in
                coordinator.item(at: source, willMoveTo: target)
                try? FileManager.default.moveItem(at: source, to: target)
                coordinator.item(at: source, didMoveTo: target)
            }
            #expect(note.wait(1) == ["moved to b.txt"])
        }
    }

    @Test("attributes that a program says have changed are told to presenters that observe them, and to no other")
    func attributes() throws {
        try inFolder { folder in
            let url = folder.appending(path: "a.txt")
            let (observing, own, other) = (Full(url), Full(url), Full(url))
            own.observed = []
            for presenter in [observing, own, other] { NSFileCoordinator.addFilePresenter(presenter) }
            defer { for presenter in [observing, own, other] { NSFileCoordinator.removeFilePresenter(presenter) } }
            let keys: Set<URLResourceKey> = [.ubiquitousItemIsUploadedKey, .nameKey]
            NSFileCoordinator(filePresenter: other).item(at: url, didChangeUbiquityAttributes: keys)
            #expect(observing.wait() == "attributes NSURLUbiquitousItemIsUploadedKey")
            #expect(own.heard.isEmpty && other.heard.isEmpty)
        }
    }

    @Test("who waits is called off from any thread, with the error for what the user cancelled")
    func cancels() throws {
        try inFolder { folder in
            let url = folder.appending(path: "a.txt")
            let waiting = NSFileCoordinator()
            var error: NSError?
            NSFileCoordinator().coordinate(writingItemAt: url, options: [], error: nil) { _ in
                waiting.cancel()
                let done = DispatchSemaphore(value: 0)
                let code = Mutex<Int?>(nil)
                waiting.coordinate(with: [.readingIntent(with: url)], queue: OperationQueue()) { failure in
                    code.withLock { $0 = (failure as NSError?)?.code }
                    done.signal()
                }
                waiting.cancel()
                done.wait()
                error = code.withLock { $0 }.map { NSError(domain: NSCocoaErrorDomain, code: $0) }
            }
            #expect(error?.cocoa == .userCancelled)
        }
    }
}

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
