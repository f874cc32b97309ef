package import LocalMetadata

/// The engine's view of the mount.
package protocol MountedFiles: Sendable {
    /// Runs `body` while no file can become open.
    func exclusively<T>(_ body: () throws -> T) rethrows -> T
    func isOpen(_ node: NodeID) -> Bool
    /// Notes a just committed change, before the next transaction can begin: programs' calls by name act on the tree
    /// last shown to them. Must not take a lock held across a transaction.
    func changed(_ effects: TreeEffects)
    /// Lets open handles of these items keep their bytes although the names are removed. Called inside ``exclusively(_:)``, after the
    /// commit.
    func detach(_ removed: [LocalItem])
    /// Performs the effects of a committed change: removes stale blobs, invalidates the kernel's caches. Must not be called inside
    /// ``exclusively(_:)``.
    func apply(_ effects: TreeEffects)
    /// Notes edits of files that are still open for writing but have been idle for `pause`.
    func noteIdleEdits(pause: Duration)
    func saveUsage() throws
    /// Whether programs write to blobs without passing each write through this process.
    var isWrittenByKernel: Bool { get }
    /// Removes all stale blobs pending removal.
    func takeAwayBlobs()
}
