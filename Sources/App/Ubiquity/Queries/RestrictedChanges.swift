import DaemonProtocol

/// What of a feed's news lies where a query looks. Keeps the numbers of what was told, so that what leaves the place is told as removed.
struct RestrictedChanges {
    private let restriction: QueryRestriction
    private let root: String
    private var told: Set<UInt64> = []

    init(_ restriction: QueryRestriction, root: String) {
        self.restriction = restriction
        self.root = root
    }

    /// Nil if nothing is left to tell.
    mutating func take(_ news: MetadataFeed.Update) -> MetadataFeed.Update? {
        guard !restriction.isPlain else { return news }
        var left = MetadataFeed.Update(isGathered: news.isGathered, failure: news.failure)
        for found in news.added + news.changed {
            if !restriction.admits(found, root: root) {
                if told.remove(found.item) != nil { left.removed.append(found) }
            } else if told.insert(found.item).inserted {
                left.added.append(found)
            } else {
                left.changed.append(found)
            }
        }
        left.removed += news.removed.filter { told.remove($0.item) != nil }
        return left.isNews ? left : nil
    }
}
