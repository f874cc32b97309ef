import DaemonProtocol

/// A feed's changes within a query's scope. It keeps the numbers of reported items, to report items leaving the scope
/// as removed.
struct RestrictedChanges {
    private let restriction: QueryRestriction
    private let root: String
    private var reported: Set<UInt64> = []

    init(_ restriction: QueryRestriction, root: String) {
        self.restriction = restriction
        self.root = root
    }

    /// Returns the changes to report; nil if there are none.
    mutating func take(_ update: MetadataFeed.Update) -> MetadataFeed.Update? {
        guard !restriction.isPlain else { return update }
        var left = MetadataFeed.Update(isGathered: update.isGathered, failure: update.failure)
        for found in update.added + update.changed {
            if !restriction.admits(found, root: root) {
                if reported.remove(found.item) != nil { left.removed.append(found) }
            } else if reported.insert(found.item).inserted {
                left.added.append(found)
            } else {
                left.changed.append(found)
            }
        }
        left.removed += update.removed.filter { reported.remove($0.item) != nil }
        return left.hasChanges ? left : nil
    }
}
