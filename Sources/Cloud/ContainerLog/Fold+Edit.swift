import Basics
import CloudModel

extension Fold {
    mutating func edit(_ id: ItemID, _ edit: Edit) throws {
        guard var item = try holder(of: edit.base, for: id), item.body.kind == .file else { return }
        let isFirstContent = item.digest == nil
        if item.isDeleted {
            item.become(edit)
            item.parent = try liveFolder(item.parent)
            item = try place(item, unitesFiles: true)
        } else {
            item.receive(edit, at: state.time)
            try put(item)
        }
        if isFirstContent { try uniteTwins(of: item.id) }
    }

    /// An announcement has no bytes, so it takes no content's place: only the announcer may correct it.
    mutating func announce(_ id: ItemID, size: UInt64, modified: Timestamp) throws {
        guard var item = try find(id), !item.isDeleted, item.author == author, case .file(.announced) = item.body else {
            return
        }
        item.body = .file(.announced(size: size))
        item.attributes.modified = modified
        try put(item)
    }

    /// The item that a change of this base means. Mostly the one it names; where the base was a conflict version of a document
    /// that is deleted by now, the item that this version became.
    func holder(of base: Digest?, for id: ItemID) throws -> CloudItem? {
        guard var item = try find(id) else { return nil }
        guard let base else { return item }
        // Merges may have led the trail back to where it began.
        for _ in 0..<8 where !item.holds(base) {
            guard let next = try store.alias(of: ConflictNaming.derivedID(item.id, base: base)),
                let heir = try find(next), heir.id != item.id
            else { break }
            item = heir
        }
        return item
    }
}
