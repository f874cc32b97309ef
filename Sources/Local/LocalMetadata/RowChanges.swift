/// Which rows of the local tree a transaction has changed.
package struct RowChanges: Sendable {
    /// Changed, made or removed.
    package var nodes: Set<NodeID> = []
    /// Folders that moved, or got what was in another: everything below has another path.
    package var movedFolders: Set<NodeID> = []
    /// Folders that an item left or was removed from.
    package var leftFolders: Set<NodeID> = []
    /// More than is worth counting.
    package var isEverything = false
    /// Key-value stores of which something changed.
    package var stores: Set<ContainerID> = []

    package init() {}

    package var isEmpty: Bool {
        nodes.isEmpty && movedFolders.isEmpty && leftFolders.isEmpty && !isEverything && stores.isEmpty
    }
}
