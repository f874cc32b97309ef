public import Foundation
import Synchronization

/// Opening, saving, closing. Each work on the file is a coordinated access in the name of the document.
extension UbiquitousDocument {
    // MARK: With a block, which is called on a queue of the document

    /// Reads the document and shows it from then on.
    public func open(completionHandler: (@Sendable (Bool) -> Void)? = nil) { perform(openNow, completionHandler) }

    /// Saves what is not saved, and shows the document no longer.
    public func close(completionHandler: (@Sendable (Bool) -> Void)? = nil) { perform(closeNow, completionHandler) }

    public func save(
        to url: URL, for operation: SaveOperation, completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        perform({ [self] in try create(at: url, operation) }, completionHandler)
    }

    /// Saves if something was edited.
    public func autosave(completionHandler: (@Sendable (Bool) -> Void)? = nil) {
        perform({ [self] in try saveNow() }, completionHandler)
    }

    /// Reads the file again; what is not saved is given up.
    public func revert(toContentsOf url: URL, completionHandler: (@Sendable (Bool) -> Void)? = nil) {
        perform({ [self] in try revertNow(to: url) }, completionHandler)
    }

    // MARK: For tasks

    public func open() async throws { try await performing(openNow) }
    public func close() async throws { try await performing(closeNow) }
    public func save() async throws { try await performing { [self] in try saveNow() } }
    public func save(to url: URL, for operation: SaveOperation) async throws {
        try await performing { [self] in try create(at: url, operation) }
    }
    public func revert(toContentsOf url: URL) async throws { try await performing { [self] in try revertNow(to: url) } }

    /// Runs a block where the document reads and writes its file: after what is under way, and before what is asked for later.
    public func performAsynchronousFileAccess(_ block: @escaping @Sendable () -> Void) { files.async(execute: block) }

    private func perform(_ work: @escaping @Sendable () throws -> Void, _ completion: (@Sendable (Bool) -> Void)?) {
        files.async { [self] in
            do {
                try work()
                completion?(true)
            } catch {
                handleError(error, userInteractionPermitted: true)
                completion?(false)
            }
        }
    }

    private func performing(_ work: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            files.async { continuation.resume(with: Result(catching: work)) }
        }
    }

    // MARK: The work

    private func openNow() throws {
        guard documentState.contains(.closed) else { return }
        // Added inside the read: no change in between can be missed.
        try readNow { [self] in NSFileCoordinator.addFilePresenter(self) }
        change { $0.remove(.closed) }
        updateConflictState()
    }

    private func closeNow() throws {
        guard !documentState.contains(.closed) else { return NSFileCoordinator.removeFilePresenter(self) }
        try saveNow()
        NSFileCoordinator.removeFilePresenter(self)
        change { $0.insert(.closed) }
    }

    private func create(at url: URL, _ operation: SaveOperation) throws {
        inner.withLock { inner in
            if inner.url != url { (inner.url, inner.modified) = (url, nil) }
            inner.edits += 1
        }
        try saveNow(operation == .forCreating)
        guard documentState.contains(.closed) else { return }
        NSFileCoordinator.addFilePresenter(self)
        change { $0.remove(.closed) }
    }

    private func revertNow(to url: URL) throws {
        disableEditing()
        defer { enableEditing() }
        inner.withLock { $0.savedEdits = $0.edits }
        try readNow(from: url)
        // Another version's contents are an edit of this document.
        if url != fileURL { updateChangeCount(.done) }
    }

    /// Where the file is by news that wait while this document's queue is busy.
    private var undeliveredMove: URL? { PresenterDirectory.shared.agent(of: self)?.undeliveredMove }

    func autosaveNow() {
        inner.withLock { $0.isAutosaveDue = false }
        do { try saveNow() } catch { handleError(error, userInteractionPermitted: false) }
    }

    func readNow(from url: URL? = nil, inside: () -> Void = {}) throws {
        var (coordination, result): (NSError?, Result<Void, any Error>?)
        NSFileCoordinator(filePresenter: self).coordinate(
            readingItemAt: url ?? fileURL, options: .withoutChanges, error: &coordination
        ) { actual in
            result = Result {
                try read(from: actual)
                if url == nil { inner.withLock { $0.modified = Self.modified(actual) } }
                inside()
            }
        }
        guard let result else { throw coordination ?? CocoaError(.fileReadUnknown) }
        try result.get()
    }

    /// Writes what is not saved. Safe: the file is replaced as a whole, or stays as it is.
    func saveNow(_ mustBeNew: Bool = false) throws {
        guard hasUnsavedChanges else { return }
        var (coordination, result): (NSError?, Result<Void, any Error>?)
        var isMoved = true
        // At the old name it would become a second document. Each time another device has to move it just then.
        for _ in 0..<4 where isMoved {
            if let url = undeliveredMove { inner.withLock { $0.url = url } }
            isMoved = false
            NSFileCoordinator(filePresenter: self).coordinate(
                writingItemAt: fileURL, options: [], error: &coordination
            ) { actual in
                isMoved = undeliveredMove.map { $0 != fileURL } ?? false
                if !isMoved { result = Result { try write(to: actual, mustBeNew) } }
            }
        }
        do {
            guard let result else { throw coordination ?? CocoaError(.fileWriteUnknown) }
            try result.get()
            change { $0.remove(.savingError) }
        } catch {
            change { $0.insert(.savingError) }
            throw error
        }
    }

    private func write(to url: URL, _ mustBeNew: Bool) throws {
        contentsLock.lock()
        defer { contentsLock.unlock() }
        // While it waited, another program may have asked it to save.
        let edits = inner.withLock { $0.edits == $0.savedEdits ? nil : $0.edits }
        guard let edits else { return }
        if mustBeNew, FileManager.default.fileExists(atPath: url.path) { throw CocoaError(.fileWriteFileExists) }
        let contents = try contents(forType: savingFileType ?? "")
        try keepOthers(at: url)
        try writeContents(contents, to: url)
        inner.withLock { inner in
            inner.savedEdits = edits
            inner.modified = Self.modified(url)
        }
    }

    // MARK: What others wrote

    static func modified(_ url: URL) -> Date? {
        // What is not there has no time.
        (try? FileManager.default.attributesOfItem(atPath: url.path))?[.modificationDate] as? Date
    }

    var isChangedOnDisk: Bool { Self.modified(fileURL) != fileModificationDate }

    /// A move to another file system is a copy, perhaps with a time of its own: equal bytes are no change of others.
    func noteCopy(at url: URL) {
        guard !hasUnsavedChanges, !documentState.contains(.closed), isChangedOnDisk, let now = Self.modified(url)
        else { return }
        contentsLock.lock()
        defer { contentsLock.unlock() }
        // Without the bytes of both it counts as changed, and is read again.
        guard let own = try? contents(forType: savingFileType ?? "") as? Data, (try? Data(contentsOf: url)) == own
        else { return }
        fileModificationDate = now
    }

    /// A program that does not coordinate has written since this was read: what it wrote is kept beside the document.
    private func keepOthers(at url: URL) throws {
        guard let known = fileModificationDate, let now = Self.modified(url), now != known else { return }
        let (stem, ending) = (url.deletingPathExtension(), url.pathExtension)
        for number in 2..<10_000 {
            let name = "\(stem.lastPathComponent) \(number)" + (ending.isEmpty ? "" : ".\(ending)")
            let copy = url.deletingLastPathComponent().appending(path: name)
            guard !FileManager.default.fileExists(atPath: copy.path) else { continue }
            return try FileManager.default.copyItem(at: url, to: copy)
        }
        // Without a place for it the save fails: it would be lost.
        throw CocoaError(.fileWriteFileExists)
    }
}
