package import CloudModel
package import LocalMetadata

/// What happened to one name of the tree, after its commit.
package enum TreeChange: Sendable {
    case created(LocalItem)
    /// The item as it was before, and its new name.
    case moved(LocalItem, to: NodeID, name: ItemName)
    case removed(LocalItem)
}

/// Hears of names that come, go and move. Called outside of transactions by the thread that made the change, before the program that
/// asked for it has its answer; is called with ``VirtualFileSystem/naming`` held,
/// perhaps also the gate, so it must not open or name anything.
package protocol TreeWitness: Sendable {
    func happened(_ change: TreeChange)
}
