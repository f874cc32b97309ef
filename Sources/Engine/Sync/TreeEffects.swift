package import CloudModel
package import LocalContent
package import LocalMetadata

/// What has to happen outside the database after a transaction that changed the shown tree: in this order, after the commit.
package struct TreeEffects: Sendable {
    /// Items whose attributes or bytes differ: the kernel's pages and attributes of them are stale.
    package var changedNodes: Set<NodeID> = []
    /// Names that appeared, went or mean another item.
    package var changedEntries: Set<Entry> = []
    /// Items that have another name or another folder, by their nodes of now, with what they had before.
    package var moved: [NodeID: Entry] = [:]
    /// Items that lost their name.
    package var removed: [LocalItem] = []
    /// Bytes that nothing refers to any more.
    package var orphanedBlobs: [BlobName] = []
    package var wantsDownloads = false
    /// Versions of the history that a program removed.
    package var lostVersions: [HistoricVersion] = []
    /// Keys of key-value stores that show something else.
    package var keyValues: [KeyValueChange] = []

    package struct Entry: Hashable, Sendable {
        package let parent: NodeID
        package let name: ItemName
    }

    package init() {}

    /// - Parameter item: As it was before.
    mutating func noteMove(of item: LocalItem) {
        if moved[item.node] == nil { moved[item.node] = Entry(parent: item.parent, name: item.name) }
    }

    mutating func add(_ other: TreeEffects) {
        changedNodes.formUnion(other.changedNodes)
        changedEntries.formUnion(other.changedEntries)
        moved.merge(other.moved) { first, _ in first }
        removed += other.removed
        orphanedBlobs += other.orphanedBlobs
        wantsDownloads = wantsDownloads || other.wantsDownloads
        lostVersions += other.lostVersions
        keyValues += other.keyValues
    }

    package var isEmpty: Bool {
        changedNodes.isEmpty && changedEntries.isEmpty && moved.isEmpty && removed.isEmpty && orphanedBlobs.isEmpty
            && !wantsDownloads && lostVersions.isEmpty && keyValues.isEmpty
    }
}

/// Keys of a container's key-value store that changed other than by their user's hand here.
package struct KeyValueChange: Sendable, Equatable {
    package enum Reason: Sendable {
        case serverChange
        /// The store was never seen before.
        case initialSync
        /// The store of the cloud had no room for what was written here.
        case quotaViolation
    }

    package let container: ContainerID
    package let reason: Reason
    package let keys: Set<String>
}

/// The mount, as the engine needs it.
package protocol MountedFiles: Sendable {
    /// Runs `body` while no file can become open.
    func exclusively<T>(_ body: () throws -> T) rethrows -> T
    func isOpen(_ node: NodeID) -> Bool
    /// Handles of these keep their bytes, though the names are gone. Inside ``exclusively(_:)``, after the commit.
    func detach(_ removed: [LocalItem])
    /// Carries out what a committed change asks for: has stale blobs removed, notifies the kernel. Not inside ``exclusively(_:)``.
    func apply(_ effects: TreeEffects)
    /// Notes edits in files that stay open for writing and were left alone for `pause`.
    func noteIdleEdits(pause: Duration)
    func saveUsage() throws
    /// Whether programs write to blobs without our seeing each write.
    var isWrittenByKernel: Bool { get }
    /// Removes the stale blobs that wait for it.
    func takeAwayBlobs()
}
