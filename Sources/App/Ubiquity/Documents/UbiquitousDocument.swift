public import Foundation
import Synchronization

/// A program's open document. It coordinates its reads and writes with other programs and devices, saves automatically,
/// follows its file when it moves, and reloads external changes.
///
/// The class corresponds to Apple's `UIDocument` and uses its names. Override ``contents(forType:)`` and
/// ``load(fromContents:ofType:)``; call ``updateChangeCount(_:)`` at every edit, and ``open(completionHandler:)`` and
/// ``close(completionHandler:)``. The document calls the two overrides on its queues, never both at the same time.
// Mutable state is behind a Mutex; subclasses guard their own.
open class UbiquitousDocument: NSObject, NSFilePresenter, @unchecked Sendable {
    public struct State: OptionSet, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Not opened yet, closed, or deleted.
        public static let closed = State(rawValue: 1 << 0)
        /// A version lost a conflict and is not resolved yet; see ``NSFileVersion/unresolvedConflictVersionsOfItem(at:)``.
        public static let inConflict = State(rawValue: 1 << 1)
        /// The last save failed; the edits are in memory only.
        public static let savingError = State(rawValue: 1 << 2)
        /// Another program writes the document, so it must not be edited now.
        public static let editingDisabled = State(rawValue: 1 << 3)
        public static let normal: State = []
    }

    public enum ChangeKind: Sendable { case done, undone, redone, cleared }
    public enum SaveOperation: Sendable { case forCreating, forOverwriting }

    /// Posted on a queue of the document when ``documentState`` changed, with the document as its object.
    public static let stateChangedNotification = Notification.Name("UIDocumentStateChangedNotification")

    struct Inner {
        var url: URL
        var state: State = .closed
        /// The number of edits so far, and how many of them are in the file.
        var edits = 0
        var savedEdits = 0
        /// The file's modification date when it was last read or written by this document.
        var modified: Date?
        var isAutosaveDue = false
        var autosaveDelay: TimeInterval = 3
        /// The subscription to the document's transfers, while it is open or being opened.
        var transfers: ProgressSubscription?
        var progress: Progress?
    }

    let inner: Mutex<Inner>
    /// The queue for reading and writing files; external requests are handled on another queue meanwhile.
    let files = DispatchQueue(label: "ubiquity.document")
    /// Held while the subclass provides its contents or receives new contents.
    let contentsLock = NSRecursiveLock()
    public let presentedItemOperationQueue = OperationQueue()

    public init(fileURL url: URL) {
        inner = Mutex(Inner(url: url))
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
        super.init()
    }

    // MARK: For subclasses

    /// Returns the contents to save: `Data`, or a ``FileWrapper`` for a document that is a folder, unless
    /// ``writeContents(_:andAttributes:safelyTo:for:)`` is overridden.
    open func contents(forType typeName: String) throws -> Any { Data() }

    /// Accepts the contents as read: `Data`, or a ``FileWrapper`` of a folder, unless
    /// ``readContents(at:)`` is overridden.
    open func load(fromContents contents: Any, ofType typeName: String?) throws {}

    /// Reads the file or folder, inside a coordinated read.
    open func readContents(at url: URL) throws -> Any {
        // Any failure here recurs at the read.
        let isFolder = (try? url.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory ?? false
        return isFolder ? try FileWrapper(url: url) : try Data(contentsOf: url)
    }

    /// Returns the attributes of `FileManager` to set at a save.
    open func fileAttributesToWrite(to url: URL, for saveOperation: SaveOperation) throws -> [AnyHashable: Any] { [:] }

    /// Writes the file or folder atomically and then sets its attributes, inside a coordinated write: programs without
    /// coordination see either the former or the new contents.
    open func writeContents(
        _ contents: Any, andAttributes attributes: [AnyHashable: Any]?, safelyTo url: URL,
        for saveOperation: SaveOperation
    ) throws {
        try writeContents(contents, to: url)
        let known = (attributes ?? [:]).compactMap { key, value in (key as? FileAttributeKey).map { ($0, value) } }
        guard !known.isEmpty else { return }
        try FileManager.default.setAttributes(Dictionary(uniqueKeysWithValues: known), ofItemAtPath: url.path)
    }

    /// Writes contents atomically. ``writeContents(_:andAttributes:safelyTo:for:)`` calls it.
    open func writeContents(_ contents: Any, to url: URL) throws {
        switch contents {
        case let data as Data: try data.write(to: url, options: .atomic)
        case let wrapper as FileWrapper:
            try wrapper.write(to: url, options: [.atomic, .withNameUpdating], originalContentsURL: nil)
        default: throw CocoaError(.coderInvalidValue)
        }
    }

    /// Reads the file and loads its contents, inside a coordinated read.
    open func read(from url: URL) throws {
        let contents = try readContents(at: url)
        contentsLock.lock()
        defer { contentsLock.unlock() }
        try load(fromContents: contents, ofType: fileType)
    }

    /// Notifies a subclass that the user must not edit from now on, because the document is reloaded or another program
    /// writes it. Called on a queue of the document.
    open func disableEditing() {}

    /// Ends the effect of ``disableEditing()``. Called once per call of it.
    open func enableEditing() {}

    /// Handles an error without a waiting caller: of an autosave, or of reloading another program's change.
    open func handleError(_ error: any Error, userInteractionPermitted: Bool) {}

    /// Called when another program or device deleted the file; the document is closed.
    open func documentWasDeleted() {}

    // MARK: State

    open var fileURL: URL { inner.withLock { $0.url } }
    open var localizedName: String { fileURL.deletingPathExtension().lastPathComponent }
    /// The file's modification date when it was last read or written by this document. A file with a different date is
    /// read again.
    open var fileModificationDate: Date? {
        get { inner.withLock { $0.modified } }
        set { inner.withLock { $0.modified = newValue } }
    }
    open var documentState: State { inner.withLock { $0.state } }
    open var hasUnsavedChanges: Bool { inner.withLock { $0.edits != $0.savedEdits } }
    /// The document's type, given by the file's extension.
    open var fileType: String? { fileURL.pathExtension.isEmpty ? nil : fileURL.pathExtension }
    /// The type to use for saving.
    open var savingFileType: String? { fileType }
    open func fileNameExtension(forType typeName: String?, saveOperation: SaveOperation) -> String { typeName ?? "" }

    /// The delay from an edit to its save, in seconds.
    open var autosaveDelay: TimeInterval {
        get { inner.withLock { $0.autosaveDelay } }
        set { inner.withLock { $0.autosaveDelay = max(0, newValue) } }
    }

    /// Records an edit, to be saved automatically.
    open func updateChangeCount(_ change: ChangeKind) {
        let delay: TimeInterval? = inner.withLock { inner in
            guard change != .cleared else {
                inner.savedEdits = inner.edits
                return nil
            }
            inner.edits += 1
            guard !inner.isAutosaveDue, !inner.state.contains(.closed) else { return nil }
            inner.isAutosaveDue = true
            return inner.autosaveDelay
        }
        guard let delay else { return }
        files.asyncAfter(deadline: .now() + delay) { [weak self] in self?.autosaveNow() }
    }

    private struct ChangeCountToken {
        let edits: Int
    }

    /// Returns a token for the edits so far, to pass to ``updateChangeCount(withToken:for:)`` when they are saved.
    open func changeCountToken(for saveOperation: SaveOperation) -> Any {
        ChangeCountToken(edits: inner.withLock { $0.edits })
    }

    /// Marks the edits before the token's creation as saved; later edits stay unsaved.
    open func updateChangeCount(withToken changeCountToken: Any, for saveOperation: SaveOperation) {
        guard let token = changeCountToken as? ChangeCountToken else { return }
        inner.withLock { $0.savedEdits = max($0.savedEdits, min(token.edits, $0.edits)) }
    }

    func change(_ body: (inout State) -> Void) {
        let isNew = inner.withLock { inner in
            let old = inner.state
            body(&inner.state)
            return inner.state != old
        }
        guard isNew else { return }
        presentedItemOperationQueue.addOperation { [weak self] in
            guard let self else { return }
            NotificationCenter.default.post(name: Self.stateChangedNotification, object: self)
        }
    }

    // MARK: NSFilePresenter

    open var presentedItemURL: URL? { fileURL }

    open func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        reader(nil)
    }

    open func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        // The other program's write would lose unsaved changes.
        do { try saveNow() } catch { handleError(error, userInteractionPermitted: false) }
        change { $0.insert(.editingDisabled) }
        disableEditing()
        writer { [weak self] in
            self?.change { $0.remove(.editingDisabled) }
            self?.enableEditing()
        }
    }

    open func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        do {
            try saveNow()
            completionHandler(nil)
        } catch { completionHandler(error) }
    }

    open func presentedItemDidChange() {
        // Unsaved edits stay; the next save keeps external changes beside them.
        guard !hasUnsavedChanges, !documentState.contains(.closed), isChangedOnDisk else { return }
        disableEditing()
        defer { enableEditing() }
        do { try readNow() } catch { handleError(error, userInteractionPermitted: false) }
    }

    open func presentedItemDidMove(to newURL: URL) {
        inner.withLock { $0.url = newURL }
        noteCopy(at: newURL)
        if unfollowProgress() { followProgress() }
    }

    /// Saves unsaved edits first, so that they win against another device's deletion, or can be restored with the file.
    /// If they cannot be saved, ``hasUnsavedChanges`` stays true: ``documentWasDeleted()`` can save them
    /// to another file.
    open func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        do { try saveNow() } catch { handleError(error, userInteractionPermitted: false) }
        change { $0.insert(.closed) }
        unfollowProgress()
        documentWasDeleted()
        completionHandler(nil)
    }

    /// Refuses eviction: an open document keeps its bytes on this device.
    open func accommodatePresentedItemEviction(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        completionHandler(CoordinationFailure.error(.fileLocking, "The document is open.", at: fileURL))
    }

    open func presentedItemDidGain(_ version: NSFileVersion) { updateConflictState() }
    open func presentedItemDidResolveConflict(_ version: NSFileVersion) { updateConflictState() }

    func updateConflictState() {
        let isInConflict = !(NSFileVersion.unresolvedConflictVersionsOfItem(at: fileURL) ?? []).isEmpty
        change { if isInConflict { $0.insert(.inConflict) } else { $0.remove(.inConflict) } }
    }
}
