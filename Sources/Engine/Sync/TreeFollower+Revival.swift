import CloudModel
import ContainerLog
import LocalMetadata

/// Restores deleted items as rows with their old ids and bytes in the cloud. To the log a restored tombstone is a
/// creation.
extension TreeFollower {
    /// Shows a deleted item again. If the name is taken, appends ` 2` or the next free number.
    ///
    /// - Returns: Its row; nil if nothing can be restored.
    mutating func revive(_ id: ItemID, in parent: NodeID, named wanted: ItemName? = nil) throws -> LocalItem? {
        if let present = try transaction.local.item(id, in: container) { return present }
        guard let deleted = try transaction.history.deletedItem(id, in: container),
            let folder = try transaction.local.item(parent),
            folder.container == container, !folder.isExcluded
        else { return nil }
        var item = LocalItem(
            container: container, item: id, parent: parent, name: wanted ?? deleted.name,
            kind: LocalKind(rawValue: deleted.cloud.body.kind.rawValue) ?? .file, attributes: deleted.cloud.attributes,
            changed: now)
        if case .symlink(let target) = deleted.cloud.body { item.target = target }
        if let content = deleted.cloud.body.content { setPlaceholder(content, &item) }
        if item.kind == .file { item.wanted = try priority(ofNewFileIn: parent) }
        item.pendingSince = now
        try takeBack(deleted, &item)
        if try transaction.local.item(named: item.name, in: parent) != nil {
            item.name = try freeName(item.name, in: parent)
        }
        item.node = try transaction.local.insert(item)
        effects.created.insert(item.node)
        if item.wanted > 0 { effects.wantsDownloads = true }
        enter(parent, item.name)
        if let remote = try transaction.remote(id, in: container) { try followConflicts(of: remote) }
        return item
    }

    /// Cancels this device's deletion, unless it is being sent.
    private func takeBack(_ deleted: DeletedItem, _ item: inout LocalItem) throws {
        // The item may have been deleted remotely as well.
        if let departure = try transaction.pending.departure(of: item.item, in: container), !departure.isSent {
            if try transaction.isDeletionBeingSent(item.item, in: container) {
                try transaction.pending.markSent(departure)
            } else {
                try transaction.pending.removeDeparture(of: item.item, in: container)
            }
        }
        if deleted.departure != nil {
            item.isKnown = true
        } else if try transaction.synced.item(item.item, in: container) != nil {
            // With the agreed state from before its deletion, the item would look as if it were still to be removed here.
            try transaction.synced.setAbsent(item.item, in: container)
        }
    }

    /// Returns the shown folder of that id, restored together with those above it. Returns the container's folder if
    /// the item is no longer a folder, or never was.
    mutating func liveFolder(_ id: ItemID) throws -> NodeID? {
        let tree = transaction.remote(in: container)
        var deleted: [ItemID] = []
        var next = id
        var place = try transaction.local.node(of: .root, in: container)
        // Tombstones of a hostile log may form a cycle; no path has more folders.
        while deleted.count < 4096 {
            if let node = try transaction.local.node(of: next, in: container) {
                place = node
                break
            }
            guard let folder = try tree.standing(for: next), folder.body == .folder else { break }
            if folder.id == next { deleted.append(next) }
            next = folder.id == next ? folder.parent : folder.id
        }
        for id in deleted.reversed() {
            guard let parent = place else { return nil }
            place = try reviveFolder(id, in: parent)
        }
        return place
    }

    /// Restores a folder. An existing folder of the same name is used instead.
    private mutating func reviveFolder(_ id: ItemID, in parent: NodeID) throws -> NodeID? {
        if let name = try transaction.history.deletedItem(id, in: container)?.name, !PackageTypes.isPackage(name),
            let present = try transaction.local.item(named: name, in: parent), present.kind == .folder,
            !present.isExcluded,
            present.container == container
        {
            return present.node
        }
        return try revive(id, in: parent)?.node
    }
}
