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
    /// Versions of the history that were removed.
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
