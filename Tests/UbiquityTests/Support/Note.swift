import Foundation
import Synchronization
import Ubiquity

/// A presenter that records its callbacks and acts on the test's instructions.
final class Note: NSObject, NSFilePresenter, @unchecked Sendable {
    let events = Mutex<[String]>([])
    private let url: Mutex<URL?>
    let presentedItemOperationQueue = OperationQueue()
    private let arrival = DispatchSemaphore(value: 0)
    /// Runs inside each callback, with the callback's name.
    let onEvent: @Sendable (String, Note) -> Void
    var saveError: (any Error)?
    var callbacks = NSFilePresenterCallbacks.all

    init(_ url: URL?, _ onEvent: @escaping @Sendable (String, Note) -> Void = { _, _ in }) {
        self.url = Mutex(url)
        self.onEvent = onEvent
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
    }

    var presentedItemURL: URL? { url.withLock { $0 } }
    var presentedItemCallbacks: NSFilePresenterCallbacks { callbacks }
    func present(_ new: URL) { url.withLock { $0 = new } }

    private func note(_ event: String) {
        events.withLock { $0.append(event) }
        onEvent(event, self)
        arrival.signal()
    }

    /// Waits for `count` more events and returns all of them.
    func wait(_ count: Int) -> [String] {
        for _ in 0..<count { arrival.wait() }
        return events.withLock { $0 }
    }

    func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        note("reader")
        reader { [self] in note("reader is over") }
    }

    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        note("writer")
        writer { [self] in note("writer is over") }
    }

    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        note("save")
        completionHandler(saveError)
    }

    func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        note("deletion")
        completionHandler(nil)
    }

    func presentedItemDidMove(to newURL: URL) {
        present(newURL)
        note("moved to \(newURL.lastPathComponent)")
    }

    func presentedItemDidChange() { note("changed") }
    func presentedSubitemDidAppear(at url: URL) { note("appeared \(url.lastPathComponent)") }
    func presentedSubitemDidChange(at url: URL) { note("changed \(url.lastPathComponent)") }
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {
        note("moved \(oldURL.lastPathComponent) to \(newURL.lastPathComponent)")
    }
}

/// Runs `body` with a new folder outside of every mount.
func inFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ubiquity-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Best effort: the folder is among the temporary files.
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
}

func inFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ubiquity-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Best effort: the folder is among the temporary files.
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
}

extension NSError {
    var cocoa: CocoaError.Code? { domain == NSCocoaErrorDomain ? CocoaError.Code(rawValue: code) : nil }
}
