package import CloudModel

/// The daemon's number of an item: its row and its FUSE node. Survives renames and moves.
package struct ItemNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: Int64
    package init(_ value: Int64) { self.value = value }
    package static func < (left: ItemNumber, right: ItemNumber) -> Bool { left.value < right.value }
    package var description: String { "item \(value)" }
}

/// A name in a folder, whatever is there. The name is as the container compares it: folded where it folds.
package struct ItemPlace: Hashable, Sendable, CustomStringConvertible {
    package let folder: ItemNumber
    package let name: ItemName

    package init(folder: ItemNumber, name: ItemName) {
        self.folder = folder
        self.name = name
    }

    package var description: String { "“\(name)” in \(folder)" }
}

/// What a claim or a presenter is about: an item, or a name that nothing has yet.
package enum ItemKey: Hashable, Sendable, CustomStringConvertible {
    case item(ItemNumber)
    case vacant(ItemPlace)

    package var description: String {
        switch self {
        case .item(let item): item.description
        case .vacant(let place): place.description
        }
    }
}

package enum TreeKind: Sendable {
    case file, folder
    /// A folder that is one document.
    case package
}

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

/// The tree of items as it is now. Asked only for what stands above a new claim, presenter or change; the arbiter keeps nothing
/// of what it does not hold.
package protocol ItemTree {
    /// Nil if there is no such item.
    func entry(of item: ItemNumber) -> TreeEntry?
    /// What has that name now; nil if nothing has.
    func item(at place: ItemPlace) -> ItemNumber?
}
