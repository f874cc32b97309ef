/// What the arbiter has to know of an item.
package struct TreeEntry: Equatable, Sendable {
    /// Nil for the root.
    package let parent: ItemNumber?
    package let kind: TreeKind
    /// Where a symbolic link leads, if that is in the tree.
    package let linkTarget: ItemNumber?

    package init(parent: ItemNumber?, kind: TreeKind, linkTarget: ItemNumber? = nil) {
        self.parent = parent
        self.kind = kind
        self.linkTarget = linkTarget
    }
}
