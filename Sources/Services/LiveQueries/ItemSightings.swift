import CloudModel
import DaemonProtocol
import LocalMetadata

/// The item states last sent to monitors, to determine the kind of a change. Bounded: a forgotten item counts as
/// changed when it is seen again.
struct ItemSightings {
    private struct Seen {
        let path: [UInt8]
        let content: Int
        /// A hash of everything but the path.
        let whole: Int
    }

    private static let limit = 10_000

    private var seen: [NodeID: Seen] = [:]
    /// Unseen items with a higher number are new: numbers only increase, and changes arrive in any order.
    private var last: NodeID
    private var newest: NodeID

    /// - Parameter last: The highest number of an item when the first monitor started.
    init(after last: NodeID) { (self.last, newest) = (last, last) }

    /// Returns an item's path as last sent to monitors.
    func path(of node: NodeID) -> MountPath? { seen[node].flatMap { try? MountPath(bytes: $0.path) } }

    /// Returns the kind of an item's change since it was last sent; nil if nothing visible changed.
    mutating func kind(of node: NodeID, _ item: FoundItem) -> Happening.Kind? {
        var hasher = Hasher()
        hasher.combine(item.size)
        hasher.combine(item.modified)
        hasher.combine(item.tags)
        var elsewhere = item
        elsewhere.path = .root
        let now = Seen(path: item.path.bytes, content: hasher.finalize(), whole: elsewhere.hashValue)
        let before = seen[node]
        let isNew = node > last
        newest = max(newest, node)
        if before == nil, seen.count >= Self.limit { (seen, last) = ([:], newest) }
        seen[node] = now
        guard let before else { return isNew ? .created : .changed }
        if before.path != now.path { return .moved }
        return before.content != now.content ? .changed : before.whole != now.whole ? .status : nil
    }

    /// Records that monitors were sent the item's new path.
    mutating func moved(_ node: NodeID, to path: MountPath) {
        guard let known = seen[node] else { return }
        seen[node] = Seen(path: path.bytes, content: known.content, whole: known.whole)
    }

    mutating func forget(_ node: NodeID) { seen[node] = nil }
}
