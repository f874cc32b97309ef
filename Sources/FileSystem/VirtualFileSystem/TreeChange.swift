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
