/// The facts of an item that the arbiter needs.
package struct TreeEntry: Equatable, Sendable {
    /// The folder above; nil for the root.
    package let parent: ItemNumber?
    package let kind: TreeKind
    /// The target of a symbolic link, if that is in the tree.
    package let linkTarget: ItemNumber?

    package init(parent: ItemNumber?, kind: TreeKind, linkTarget: ItemNumber? = nil) {
        self.parent = parent
        self.kind = kind
        self.linkTarget = linkTarget
    }
}
