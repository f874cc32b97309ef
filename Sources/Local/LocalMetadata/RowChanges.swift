/// A transaction's changed rows of the local tree.
package struct RowChanges: Sendable {
    /// Changed, new or removed items.
    package var nodes: Set<NodeID> = []
    /// Folders that moved, or received a different folder's children: everything below has a new path.
    package var movedFolders: Set<NodeID> = []
    /// Folders that lost an item by a move or removal.
    package var leftFolders: Set<NodeID> = []
    /// Whether an item named like an ignore file was changed or moved.
    package var changesIgnoreFiles = false
    /// Whether an unexcluded folder moved: patterns with slashes may match different items in it now.
    package var movesSyncedFolders = false
    /// Whether there are too many changes to list.
    package var isEverything = false
    /// Key-value stores with changes.
    package var stores: Set<ContainerID> = []

    package init() {}

    package var isEmpty: Bool {
        nodes.isEmpty && movedFolders.isEmpty && leftFolders.isEmpty && !isEverything && stores.isEmpty
    }
}
