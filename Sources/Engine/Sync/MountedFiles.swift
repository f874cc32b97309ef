package import LocalMetadata

/// The mount, as the engine needs it.
package protocol MountedFiles: Sendable {
    /// Runs `body` while no file can become open.
    func exclusively<T>(_ body: () throws -> T) rethrows -> T
    func isOpen(_ node: NodeID) -> Bool
    /// Handles of these keep their bytes, though the names are gone. Inside ``exclusively(_:)``, after the commit.
    func detach(_ removed: [LocalItem])
    /// Carries out what a committed change asks for: has stale blobs removed, invalidates what the kernel caches. Not inside ``exclusively(_:)``.
    func apply(_ effects: TreeEffects)
    /// Notes edits in files that stay open for writing and were left alone for `pause`.
    func noteIdleEdits(pause: Duration)
    func saveUsage() throws
    /// Whether programs write to blobs without our seeing each write.
    var isWrittenByKernel: Bool { get }
    /// Removes the stale blobs that wait for it.
    func takeAwayBlobs()
}
