package import LocalContent
package import LocalMetadata

/// Operations of other modules under this file system's locks. The locks themselves are private to this module, so
/// their order is decided in a single place.
extension VirtualFileSystem {
    /// Runs a change of the tree from outside while no file operation runs: no file can become open meanwhile. `body`
    /// has to be short, as every operation waits for it.
    package func withOperationsBlocked<T>(_ body: () throws -> T) rethrows -> T { try gate.exclusive(body) }

    /// Runs `body` while no name changes, after the observer has been notified of all earlier changes. Opens and reads continue.
    package func withNamesFrozen<T>(_ body: () throws -> T) rethrows -> T {
        try gate.shared { try naming.exclusive(body) }
    }

    /// Does the same without waiting.
    ///
    /// - Returns: nil, without running `body`, if a lock is held.
    package func withNamesFrozenIfPossible<T>(_ body: () throws -> T?) rethrows -> T? {
        guard gate.enterShared() else { return nil }
        defer { gate.leave() }
        guard naming.enterExclusively() else { return nil }
        defer { naming.leave() }
        return try body()
    }

    // MARK: Open files

    package func isOpen(_ node: NodeID) -> Bool { openFiles.isOpen(node) }

    package func isOpenForWriting(_ node: NodeID) -> Bool { openFiles[node]?.isOpenForWriting ?? false }

    /// The number of open files, and of files open for writing.
    package var openFileCounts: (all: Int, writing: Int) {
        let files = openFiles.all
        return (files.count, files.count(where: \.isOpenForWriting))
    }

    // MARK: Blobs without a row

    /// Schedules the removal of a blob no longer named by any row; ``removeBlobsNow()`` waits for it.
    package func remove(_ blob: BlobName) { removal.remove(blob) }

    package func removeBlobsNow() { removal.flush() }
}
