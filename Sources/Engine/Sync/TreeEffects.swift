package import CloudModel
package import LocalContent
package import LocalMetadata

/// The effects outside the database of a transaction that changed the shown tree; performed in this order, after the commit.
package struct TreeEffects: Sendable {
    /// Items whose attributes or bytes changed, so that the kernel's cached pages and attributes of them are stale.
    package var changedNodes: Set<NodeID> = []
    /// Names that appeared, disappeared or now refer to another item.
    package var changedEntries: Set<Entry> = []
    /// Items that this device did not show before.
    package var created: Set<NodeID> = []
    /// Items that were renamed or moved, by their present nodes, with their former places.
    package var moved: [NodeID: Entry] = [:]
    /// Items that lost their name.
    package var removed: [LocalItem] = []
    /// Blobs that nothing refers to any more.
    package var orphanedBlobs: [BlobName] = []
    package var wantsDownloads = false
    /// Versions of the history that were removed.
    package var lostVersions: [HistoricVersion] = []
    /// Keys of key-value stores whose shown values changed.
    package var keyValues: [KeyValueChange] = []

    package struct Entry: Hashable, Sendable {
        package let parent: NodeID
        package let name: ItemName
    }

    package init() {}

    /// - Parameter item: The item before the move.
    mutating func noteMove(of item: LocalItem) {
        if moved[item.node] == nil { moved[item.node] = Entry(parent: item.parent, name: item.name) }
    }

    mutating func add(_ other: TreeEffects) {
        changedNodes.formUnion(other.changedNodes)
        changedEntries.formUnion(other.changedEntries)
        created.formUnion(other.created)
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
