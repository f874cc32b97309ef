import CloudModel
import ContainerLog
import LocalMetadata

/// Handles the items created from conflict versions when their document was deleted.
///
/// The log applies a change to the deleted document to the item with the change's base. It no longer does so once the
/// document was restored and became a different item. So the device names that item itself.
extension TreeFollower {
    /// Handles a local deletion or edit of a document that became a different item, if an item has the deleted or
    /// replaced content.
    ///
    /// - Returns: Whether the document's row is now that item's.
    mutating func passOnToHeir(_ document: ItemID) throws -> Bool {
        guard let base = try transaction.synced.item(document, in: container)?.digest,
            let heir = try heir(of: document, holding: base), try isUntouched(heir.id)
        else { return false }
        let shown = try transaction.local.item(heir.id, in: container)
        guard let row = try transaction.local.item(document, in: container) else {
            guard let departure = try transaction.pending.departure(of: document, in: container) else { return false }
            try delete(heir, shown)
            // A deletion being sent has no effect on that item. An edit being sent applies to the other document, and
            // the later deletion is of that edit.
            guard try !departure.isSent && !isContentBeingSent(document) else { return false }
            try transaction.pending.removeDeparture(of: document, in: container)
            try transaction.synced.setAbsent(document, in: container)
            return false
        }
        guard row.kind == .file, row.isWriting || row.isEdited || row.content?.digest != base else { return false }
        // The edit being sent applies to the other document.
        if try isContentBeingSent(document) {
            try delete(heir, shown)
            return false
        }
        if let shown { try drop(shown) }
        try take(heir.id, row)
        return true
    }

    /// Returns the item that received this content of a deleted document, as found by the fold; nil if it no longer
    /// exists.
    private func heir(of document: ItemID, holding base: Digest) throws -> CloudItem? {
        let tree = transaction.remote(in: container)
        var id = document
        // An edit of such an item leads to the next item; the fold takes as many steps.
        for _ in 0..<8 {
            guard let next = try tree.alias(of: DerivedIDs.stableHash.trail(of: id, to: base)),
                let heir = try tree.standing(for: next), heir.id != id
            else { return nil }
            // That item's conflict version stays: a deletion would be of the item's own content.
            if heir.holds(base) { return heir.isDeleted || heir.digest != base ? nil : heir }
            id = heir.id
        }
        return nil
    }

    /// Returns whether no program has changed or moved the item, or works with it. Its permissions do not count: they were those of a version
    /// in conflict.
    private func isUntouched(_ id: ItemID) throws -> Bool {
        guard try transaction.pending.departure(of: id, in: container) == nil else { return false }
        guard let row = try transaction.local.item(id, in: container) else { return true }
        guard let agreed = try transaction.agreed(id, in: container), let shown = try transaction.state(row),
            !row.isWriting, !held.contains(row.node)
        else { return false }
        return shown.hasContent(of: agreed) && (shown.parent, shown.name) == (agreed.parent, agreed.name)
    }

    private mutating func delete(_ heir: CloudItem, _ shown: LocalItem?) throws {
        if let shown { return try depart(shown) }
        let parent = try transaction.local.node(of: heir.parent, in: container)
        try transaction.synced.settle(heir.id, in: container)
        try transaction.pending.insert(
            Departure(
                container: container, item: heir.id, parent: parent ?? .root, name: heir.name, kind: .file, time: now))
    }

    private mutating func take(_ heir: ItemID, _ row: LocalItem) throws {
        try carryBase(of: row, to: heir)
        try transaction.synced.setAbsent(row.item, in: container)
        var taken = row
        taken.item = heir
        try transaction.local.update(taken)
        try follow(heir)
    }
}
