/// An item's facts, as needed by the arbiter.
package struct TreeEntry: Equatable, Sendable {
    /// The folder above; nil for the root.
    package let parent: ItemNumber?
    package let kind: TreeKind
    /// A symbolic link's target, if in the tree.
    package let linkTarget: ItemNumber?

    package init(parent: ItemNumber?, kind: TreeKind, linkTarget: ItemNumber? = nil) {
        self.parent = parent
        self.kind = kind
        self.linkTarget = linkTarget
    }
}
