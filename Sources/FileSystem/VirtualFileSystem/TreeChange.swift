package import CloudModel
package import LocalMetadata

/// A change of a tree item, after its commit.
package enum TreeChange: Sendable {
    case created(LocalItem)
    /// The item as it was before the move, with its new folder and name.
    case moved(LocalItem, to: NodeID, name: ItemName)
    case removed(LocalItem)
    /// The second item, given as it was before, was renamed over the first.
    case replaced(LocalItem, with: LocalItem)
    /// The content or the metadata of an item changed.
    case changed(NodeID)
}
