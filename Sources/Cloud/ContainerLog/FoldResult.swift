package import CloudModel

/// The effect of folding an entry on the tree, for a device that follows the log with a separate tree.
package struct FoldResult: Hashable, Sendable {
    /// A merge of two items: the id `from` stands for `into` from here on.
    package struct Merge: Hashable, Sendable {
        package let from: ItemID
        package let into: ItemID
        package init(from: ItemID, into: ItemID) {
            self.from = from
            self.into = into
        }
    }

    /// Whether the log already had this batch; only the sequence changed.
    package var isRepeat = false
    /// Whether the batch was refused because it changes a package already changed by another batch, or adds contents
    /// without knowing of a begun collection. Its number is used up, and none of its changes were applied.
    package var isRefused = false
    /// The distinct changed items, in the order of their first change. They include restored parents, renamed items,
    /// conflict versions promoted to items, and both sides of a merge.
    package internal(set) var touched: [ItemID] = []
    /// Merges in the order in which they happened; a later merge may start from an earlier target.
    package internal(set) var merged: [Merge] = []

    /// Keys of the key-value store with a changed or removed value.
    package internal(set) var touchedKeys: Set<String> = []
    /// Keys whose new value exceeded the store's limits.
    package internal(set) var refusedKeys: Set<String> = []

    package init(isRepeat: Bool = false, isRefused: Bool = false) {
        self.isRepeat = isRepeat
        self.isRefused = isRefused
    }
}
