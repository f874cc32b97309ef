package import CloudModel
package import LocalMetadata

/// What happened to one item of the tree, after its commit.
package enum TreeChange: Sendable {
    case created(LocalItem)
    /// The item as it was before, and its new name.
    case moved(LocalItem, to: NodeID, name: ItemName)
    case removed(LocalItem)
    /// The second, as it was before, was renamed over the first.
    case replaced(LocalItem, with: LocalItem)
    /// The content or the metadata of an item.
    case changed(NodeID)
}

/// Hears of items that change, and of names that come, go and move. Called outside of transactions by the thread that made the change, before the program that
/// asked for it has its answer; of names with ``VirtualFileSystem/naming`` held, of changes with the state of an open file, perhaps also
/// the gate, so it must not open or name anything.
package protocol TreeObserver: Sendable {
    func happened(_ change: TreeChange)
}
