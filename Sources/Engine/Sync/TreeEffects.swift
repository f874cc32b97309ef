package import CloudModel
package import LocalContent
package import LocalMetadata

/// A tree-changing transaction's effects outside the database; performed in this order, after the commit.
package struct TreeEffects: Sendable {
    /// Items with changed attributes or bytes, whose pages and attributes in the kernel's caches are stale.
    package var changedNodes: Set<NodeID> = []
    /// Names that appeared, disappeared or now refer to a different item.
    package var changedEntries: Set<Entry> = []
    /// Items new to this device.
    package var created: Set<NodeID> = []
    /// Renamed or moved items, by their current nodes, with their former places.
    package var moved: [NodeID: Entry] = [:]
    /// Items that lost their name.
    package var removed: [LocalItem] = []
    /// Unreferenced blobs.
    package var orphanedBlobs: [BlobName] = []
    package var wantsDownloads = false
    /// Removed versions of the history.
    package var lostVersions: [HistoricVersion] = []
    /// Keys of key-value stores with changed shown values.
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
