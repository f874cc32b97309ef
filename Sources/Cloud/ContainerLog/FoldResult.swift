package import CloudModel

/// What folding one entry did to the tree, for a device that follows the log with a tree of its own.
package struct FoldResult: Hashable, Sendable {
    /// An item that became another one: its id stands for `into` from here on.
    package struct Merge: Hashable, Sendable {
        package let from: ItemID
        package let into: ItemID
        package init(from: ItemID, into: ItemID) {
            self.from = from
            self.into = into
        }
    }

    /// The log had this batch already; nothing but the sequence changed.
    package var isRepeat = false
    /// It changes a package that another batch changed first: its number is used up, and none of its changes were applied.
    package var isRefused = false
    /// Items of which anything changed, each once, in the order of their first change: also parents that came back,
    /// items that had to give way with another name, conflict versions that became items, and both sides of a merge.
    package internal(set) var touched: [ItemID] = []
    /// In the order in which it happened; a later one may go on from an earlier one's target.
    package internal(set) var merged: [Merge] = []

    /// Keys of the key-value store that have another value now, or none.
    package internal(set) var touchedKeys: Set<String> = []
    /// Keys whose new value the store had no room for.
    package internal(set) var refusedKeys: Set<String> = []

    package init(isRepeat: Bool = false, isRefused: Bool = false) {
        self.isRepeat = isRepeat
        self.isRefused = isRefused
    }
}
