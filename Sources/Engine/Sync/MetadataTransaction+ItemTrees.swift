package import CloudModel
package import ContainerLog
package import LocalMetadata

/// Reads an item's three trees from the database.
extension MetadataTransaction {
    /// Returns the log's item; nil if the log has none or a tombstone.
    package func remote(_ id: ItemID, in container: ContainerID) throws -> CloudItem? {
        guard let item = try remote(in: container).item(id), !item.isDeleted else { return nil }
        return item
    }

    package func trees(of id: ItemID, in container: ContainerID) throws -> ItemTrees {
        try trees(of: id, in: container, remote: remote(id, in: container), local: local.item(id, in: container))
    }

    /// Returns the three trees, after turning a conflict sibling into the item of its id if the log has one because its
    /// document was deleted. The mount shows it unchanged.
    package func treesPromotingSibling(of id: ItemID, in container: ContainerID) throws -> ItemTrees {
        let remote = try remote(id, in: container)
        var shown = try local.item(id, in: container)
        if var sibling = shown, sibling.isConflictSibling, remote != nil {
            sibling.conflict = nil
            sibling.isKnown = true
            try local.update(sibling)
            shown = sibling
        }
        return try trees(of: id, in: container, remote: remote, local: shown)
    }

    private func trees(
        of id: ItemID, in container: ContainerID, remote: CloudItem?, local: LocalItem?
    ) throws -> ItemTrees {
        var trees = ItemTrees(
            remote: remote, synced: try agreed(id, in: container), local: try local.flatMap(state),
            isDeparted: try pending.departure(of: id, in: container) != nil)
        if trees.isDeparted {
            trees.isBeingSent = try isBeingSent(id, in: container)
            trees.isShownAsVersion = try isVersionShown(trees.synced?.digest, of: id, in: container)
        } else if remote == nil, trees.synced != nil, trees.local != nil {
            trees.isBeingSent = try isBeingSent(id, in: container)
        }
        return trees
    }

    private func isVersionShown(_ digest: Digest?, of id: ItemID, in container: ContainerID) throws -> Bool {
        guard let digest else { return false }
        return try local.siblings(of: id, in: container).contains { $0.content?.digest == digest }
    }

    /// Returns the last agreed state of an item, in terms of the current log: an agreed place in a folder since merged
    /// into a second folder is in the second. Otherwise the merge would look like local moves.
    package func agreed(_ id: ItemID, in container: ContainerID) throws -> CloudItem? {
        guard var item = try synced.item(id, in: container) else { return nil }
        item.parent = try remote(in: container).identity(of: item.parent)
        return item
    }

    /// Returns whether the batch being sent has a change of that item.
    private func isBeingSent(_ id: ItemID, in container: ContainerID) throws -> Bool {
        try pending.sentItems(of: container) { Set(try ChangeBatch(decoding: $0).changes.compactMap(\.item)) }.contains(
            id)
    }

    /// Returns whether the batch being sent deletes that item, possibly restored and deleted again since.
    func isDeletionBeingSent(_ id: ItemID, in container: ContainerID) throws -> Bool {
        guard try isBeingSent(id, in: container), let waiting = try pending.batch(of: container) else { return false }
        return try ChangeBatch(decoding: waiting.payload).changes.contains {
            if case .delete(id, _) = $0 { true } else { false }
        }
    }

    /// Discards the batch being sent, which has had no effect: its items return to their state before the batch.
    package func withdrawBatch(of container: ContainerID) throws {
        guard let waiting = try pending.batch(of: container) else { return }
        try pending.withdrawBatch(of: container)
        let changes = try ChangeBatch(decoding: waiting.payload).changes
        // A deleted item may have been restored while its deletion was being sent.
        for case .delete(let id, _) in changes where try local.item(id, in: container) != nil {
            try pending.removeDeparture(of: id, in: container)
        }
        for case .create(let id, _, _, _, _) in changes {
            guard var item = try local.item(id, in: container), item.isKnown, try synced.item(id, in: container) == nil,
                try remote(in: container).item(id) == nil
            else { continue }
            item.isKnown = false
            try local.update(item)
        }
    }

    /// Returns the state of an item; nil for items never in a log: pipes, sockets, conflict siblings.
    package func state(_ item: LocalItem) throws -> LocalState? {
        guard let kind = item.kind.cloudKind, !item.isConflictSibling else { return nil }
        // On the device a container's folder is in the mount's root; in the log the root has a nonexistent parent.
        let parent = item.item == .root ? ItemID.nowhere : try local.identity(of: item.parent)
        var state = LocalState(
            item, kind: kind, parent: parent ?? .root,
            hasChildren: try kind == .folder && local.hasChildren(item.node),
            evictsOnUpdate: item.pin == .evictOnUpdate)
        if item.item == .root, let agreed = try remote(in: item.container).item(.root) {
            state.name = agreed.name
        }
        return state
    }

    /// Returns whether the effective pin of the item keeps it on this device.
    package func isKept(_ item: LocalItem) throws -> Bool { try local.effectivePin(of: item.node) == .keep }
}

extension RemoteTree {
    /// Returns the id of the item represented by this id.
    func identity(of id: ItemID) throws -> ItemID { try standing(for: id)?.id ?? id }
}

extension Change {
    /// The changed item; nil for changes of the whole container.
    var item: ItemID? {
        switch self {
        case .create(let id, _, _, _, _), .edit(let id, _, _, _), .move(let id, _, _), .setAttributes(let id, _),
            .delete(let id, _), .resolve(let id, _):
            id
        case .setValue, .collection, .raiseRules: nil
        }
    }

    /// The item's place after the change.
    var place: (item: ItemID, parent: ItemID, name: ItemName)? {
        switch self {
        case .create(let id, let parent, let name, _, _), .move(let id, let parent, let name): (id, parent, name)
        default: nil
        }
    }
}
