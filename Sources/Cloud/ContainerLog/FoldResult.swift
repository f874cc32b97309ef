package import CloudModel

/// The effect of folding one entry on the tree, for a device that follows the log with a tree of its own.
package struct FoldResult: Hashable, Sendable {
    /// An item that was merged into another: its id stands for `into` from here on.
    package struct Merge: Hashable, Sendable {
        package let from: ItemID
        package let into: ItemID
        package init(from: ItemID, into: ItemID) {
            self.from = from
            self.into = into
        }
    }

    /// Whether the log had this batch already; nothing but the sequence changed.
    package var isRepeat = false
    /// Whether the batch was refused because it changes a package that another batch changed first, or brings contents without knowing of a
    /// collection that has begun. Its number is used up, and none of its
    /// changes were applied.
    package var isRefused = false
    /// Items that changed, each once, in the order of their first change. They include parents that were restored, items that had to take
    /// another name, conflict versions that became items, and both sides of a merge.
    package internal(set) var touched: [ItemID] = []
    /// Merges in the order in which they happened; a later one may start from an earlier one's target.
    package internal(set) var merged: [Merge] = []

    /// Keys of the key-value store whose value was changed or removed.
    package internal(set) var touchedKeys: Set<String> = []
    /// Keys whose new value the store had no room for.
    package internal(set) var refusedKeys: Set<String> = []

    package init(isRepeat: Bool = false, isRefused: Bool = false) {
        self.isRepeat = isRepeat
        self.isRefused = isRefused
    }
}
