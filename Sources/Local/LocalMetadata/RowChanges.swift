/// The rows of the local tree that a transaction has changed.
package struct RowChanges: Sendable {
    /// Items that were changed, created or removed.
    package var nodes: Set<NodeID> = []
    /// Folders that moved, or received the children of another: everything below has another path.
    package var movedFolders: Set<NodeID> = []
    /// Folders that an item left or was removed from.
    package var leftFolders: Set<NodeID> = []
    /// Whether an item that is named like an ignore file was changed or moved.
    package var changesIgnoreFiles = false
    /// Whether a folder moved that is not excluded: patterns with slashes may match other items in it now.
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
