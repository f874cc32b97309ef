import Basics
import CloudModel

/// The rules for new content, which determine its item. ``ContestedFile`` decides its effect there.
extension Fold {
    mutating func edit(_ id: ItemID, _ edit: Edit) throws {
        guard let named = try find(id), var item = try holder(of: edit.base, for: named), item.body.kind == .file else {
            return
        }
        try leaveTrail(from: named.id, to: item.id, base: edit.content.digest)
        let isFirstContent = item.digest == nil
        if item.isDeleted {
            item.become(edit)
            item.parent = try liveFolder(item.parent)
            item = try place(item, unitesFiles: true)
        } else {
            contested = ContestedFile(item)
            try receive(edit)
        }
        guard isFirstContent else { return }
        try closeContested()
        try uniteTwins(of: item.id)
    }

    /// Records a content's heir. The author of an edit that names a deleted document but applies to its heir does not
    /// know the heir: the author's next edit starts from this content and names the document again.
    private mutating func leaveTrail(from id: ItemID, to heir: ItemID, base: Digest) throws {
        if id != heir { try store.setAlias(rules.derivedIDs.trail(of: id, to: base), to: heir) }
    }

    /// Updates an announcement. It has no bytes, so it replaces no content: only the announcer may correct it.
    mutating func announce(_ id: ItemID, size: UInt64, modified: Timestamp) throws {
        guard var item = try find(id), !item.isDeleted, item.author == author, case .file(.announced) = item.body else {
            return
        }
        item.body = .file(.announced(size: size))
        item.attributes.modified = modified
        try put(item)
    }

    /// Returns the item to which a change from this base applies. Usually that is the named item; if the base was a
    /// conflict version of a deleted document, it is the item created from that version, or its successor.
    func holder(of base: Digest?, for named: CloudItem) throws -> CloudItem? {
        guard let base else { return named }
        var item = named
        // Merges may have led the trail back to its start.
        for _ in 0..<8 where !item.holds(base) {
            guard let next = try store.alias(of: rules.derivedIDs.trail(of: item.id, to: base)),
                let heir = try find(next), heir.id != item.id
            else { break }
            item = heir
        }
        return item
    }
}
