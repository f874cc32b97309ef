import CloudModel

/// The rules for moves: an item keeps its identity, the tree stays a tree.
extension Fold {
    mutating func move(_ id: ItemID, to parent: ItemID, name: ItemName) throws {
        guard var item = try find(id), !item.isDeleted, !item.id.isWellKnown, let folder = try find(parent),
            folder.body == .folder, try !isWithin(folder.id, item.id)
        else { return }
        let target = try liveFolder(folder.id)
        // A restored folder may have been merged with the moved folder.
        guard try !isWithin(target, item.id) else { return }
        item.parent = target
        item.name = name
        try place(item, unitesFiles: false)
    }
}
