public import Foundation
import Synchronization

/// Opening, saving and closing. Every file operation is a coordinated access in the document's name.
extension UbiquitousDocument {
    // MARK: With a completion handler, called on a queue of the document. It has no default: at the top level of a
    // program a call without one, with `await`, would mean these methods, which do not wait.

    /// Reads the document and presents its file until it is closed.
    public func open(completionHandler: (@Sendable (Bool) -> Void)?) { perform(openNow, completionHandler) }

    /// Saves unsaved changes and stops presenting the file.
    public func close(completionHandler: (@Sendable (Bool) -> Void)?) { perform(closeNow, completionHandler) }

    public func save(
        to url: URL, for operation: SaveOperation, completionHandler: (@Sendable (Bool) -> Void)?
    ) {
        perform({ [self] in try create(at: url, operation) }, completionHandler)
    }

    /// Saves the document if it has unsaved changes.
    public func autosave(completionHandler: (@Sendable (Bool) -> Void)?) {
        perform({ [self] in try saveNow() }, completionHandler)
    }

    /// Reads the file again and discards unsaved changes.
    public func revert(toContentsOf url: URL, completionHandler: (@Sendable (Bool) -> Void)?) {
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

    /// Runs a block on the queue for reading and writing the document's file: after already requested operations, and
    /// before later ones.
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

    // MARK: Operations

    private func openNow() throws {
        guard documentState.contains(.closed) else { return }
        followProgress()
        do {
            // The presenter is added inside the read, so that no change in between is missed.
            try readNow { [self] in NSFileCoordinator.addFilePresenter(self) }
        } catch {
            unfollowProgress()
            throw error
        }
        change { $0.remove(.closed) }
        updateConflictState()
    }

    private func closeNow() throws {
        guard !documentState.contains(.closed) else { return NSFileCoordinator.removeFilePresenter(self) }
        try saveNow()
        NSFileCoordinator.removeFilePresenter(self)
        unfollowProgress()
        change { $0.insert(.closed) }
    }

    private func create(at url: URL, _ operation: SaveOperation) throws {
        inner.withLock { inner in
            if inner.url != url { (inner.url, inner.modified) = (url, nil) }
            inner.edits += 1
        }
        try saveNow(operation)
        guard documentState.contains(.closed) else { return }
        NSFileCoordinator.addFilePresenter(self)
        followProgress()
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

    /// The file's new URL, according to a move waiting for delivery while this document's queue is busy.
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

    /// Writes unsaved changes. The file is either replaced as a whole or left as it is.
    func saveNow(_ operation: SaveOperation = .forOverwriting) throws {
        guard hasUnsavedChanges else { return }
        var (coordination, result): (NSError?, Result<Void, any Error>?)
        var isMoved = true
        // A save under the old name would create a second document. A further attempt is needed only if another device
        // moves the document at that moment.
        for _ in 0..<4 where isMoved {
            if let url = undeliveredMove { inner.withLock { $0.url = url } }
            isMoved = false
            NSFileCoordinator(filePresenter: self).coordinate(
                writingItemAt: fileURL, options: [], error: &coordination
            ) { actual in
                isMoved = undeliveredMove.map { $0 != fileURL } ?? false
                if !isMoved { result = Result { try write(to: actual, operation) } }
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

    private func write(to url: URL, _ operation: SaveOperation) throws {
        contentsLock.lock()
        defer { contentsLock.unlock() }
        // Another program may have requested a save while this save waited.
        let edits = inner.withLock { $0.edits == $0.savedEdits ? nil : $0.edits }
        guard let edits else { return }
        if operation == .forCreating, FileManager.default.fileExists(atPath: url.path) {
            throw CocoaError(.fileWriteFileExists)
        }
        let contents = try contents(forType: savingFileType ?? "")
        try keepOthers(at: url)
        let attributes = try fileAttributesToWrite(to: url, for: operation)
        try writeContents(contents, andAttributes: attributes, safelyTo: url, for: operation)
        inner.withLock { inner in
            inner.savedEdits = edits
            inner.modified = Self.modified(url)
        }
    }

    // MARK: Remote changes

    /// Returns the latest modification date of the file, or of the folder and everything in it.
    static func modified(_ url: URL) -> Date? {
        let files = FileManager.default
        // A nonexistent file has no time.
        guard let attributes = try? files.attributesOfItem(atPath: url.path) else { return nil }
        var latest = attributes[.modificationDate] as? Date
        guard attributes[.type] as? FileAttributeType == .typeDirectory else { return latest }
        guard let everything = files.enumerator(atPath: url.path) else { return latest }
        for case let inside as String in everything {
            let date = (try? files.attributesOfItem(atPath: url.path + "/" + inside))?[.modificationDate] as? Date
            latest = [latest, date].compactMap(\.self).max()
        }
        return latest
    }

    var isChangedOnDisk: Bool { Self.modified(fileURL) != fileModificationDate }

    /// Adopts a copy's time. A move to another file system is a copy, perhaps with a different time: equal bytes are
    /// not an external change.
    func noteCopy(at url: URL) {
        guard !hasUnsavedChanges, !documentState.contains(.closed), isChangedOnDisk, let now = Self.modified(url)
        else { return }
        contentsLock.lock()
        defer { contentsLock.unlock() }
        // If either content cannot be read, the file counts as changed and is read again.
        guard let own = try? contents(forType: savingFileType ?? "") as? Data, (try? Data(contentsOf: url)) == own
        else { return }
        fileModificationDate = now
    }

    /// Copies the file beside the document if a program without coordination has written it since it was last read.
    private func keepOthers(at url: URL) throws {
        guard let known = fileModificationDate, let now = Self.modified(url), now != known else { return }
        let (stem, ending) = (url.deletingPathExtension(), url.pathExtension)
        for number in 2..<10_000 {
            let name = "\(stem.lastPathComponent) \(number)" + (ending.isEmpty ? "" : ".\(ending)")
            let copy = url.deletingLastPathComponent().appending(path: name)
            guard !FileManager.default.fileExists(atPath: copy.path) else { continue }
            return try FileManager.default.copyItem(at: url, to: copy)
        }
        // If no name is free, the save fails, since it would lose the other program's changes.
        throw CocoaError(.fileWriteFileExists)
    }
}
