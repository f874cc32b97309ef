import CloudModel
import ContainerLog
import LocalMetadata

/// Empties remotely deleted folders whose items had moved elsewhere before.
extension TreeFollower {
    /// Follows the items in a deleted folder, possibly moved out of it in the log: while any of them is on its way, the
    /// folder is neither deleted locally nor kept, because a kept folder is restored for all devices.
    ///
    /// - Returns: Whether all remaining items will leave the folder once their places in the log can be shown.
    mutating func followContent(ofDeleted folder: ItemID) throws -> Bool {
        guard let node = try transaction.local.node(of: folder, in: container) else { return false }
        var last = NodeID(0)
        while case let page = try transaction.local.children(of: node, after: last, limit: 500), let end = page.last {
            last = end.node
            for child in page where try hasToFollow(child) { try follow(child.item) }
        }
        // The items that followed are elsewhere now. Of many remaining items, the first decide until they have left.
        guard case let rest = try transaction.local.children(of: node, limit: 500), !rest.isEmpty else { return false }
        return try rest.allSatisfy { try isLeaving($0, folder) }
    }

    /// Returns whether the item has to follow the log: neither a sibling, which follows its document, nor a local-only
    /// item.
    private func hasToFollow(_ child: LocalItem) throws -> Bool {
        guard child.conflict == nil, !child.isExcluded else { return false }
        return try transaction.remote(child.item, in: container) != nil
            || transaction.synced.item(child.item, in: container) != nil
    }

    /// Returns whether the log has the item elsewhere and no program moved it.
    private func isLeaving(_ child: LocalItem, _ folder: ItemID) throws -> Bool {
        // A sibling follows its document.
        let id = child.conflict?.document ?? child.item
        guard !child.isExcluded, let shown = try transaction.local.item(id, in: container), shown.parent == child.parent
        else { return false }
        guard let agreed = try transaction.agreed(id, in: container), agreed.parent == folder, agreed.name == shown.name
        else { return false }
        // A deleted folder inside it is unsettled only while it is emptied.
        guard let remote = try transaction.remote(id, in: container) else { return shown.kind == .folder }
        return remote.parent != folder
    }
}
