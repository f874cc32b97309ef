import CloudModel

/// The rules for names and places: names are unique in a folder, and every live item is below the root.
extension Fold {
    /// Makes an item live at its place. If the name is taken, equal items are merged, and different items get
    /// `name 2.ext`.
    ///
    /// - Returns: The item, or its merge target.
    @discardableResult
    mutating func place(_ newcomer: CloudItem, unitesFiles: Bool) throws -> CloudItem {
        var item = newcomer
        item.isDeleted = false
        if let resident = try resident(at: item.name, in: item.parent), resident.id != item.id {
            if item.equals(resident, packageTypes), unitesFiles || item.body == .folder {
                return try unite(item, into: resident)
            }
            item.name = try freeName(for: item)
            if unitesFiles { try awaitTwin(item, of: resident) }
        }
        try put(item)
        return item
    }

    /// Returns the live folder for this id, restored with its parents if it was deleted; the root if it is not a
    /// folder.
    mutating func liveFolder(_ id: ItemID) throws -> ItemID {
        var deleted: [CloudItem] = []
        var next = id
        while let item = try find(next), item.body == .folder {
            guard item.isDeleted else { return try revive(deleted, below: item.id) }
            deleted.append(item)
            next = item.parent
        }
        return try revive(deleted, below: .root)
    }

    /// Whether `id` is `folder` or an ancestor of it.
    func isWithin(_ folder: ItemID, _ id: ItemID) throws -> Bool {
        var next: ItemID? = folder
        while let current = next {
            guard let item = try find(current) else { return false }
            if item.id == id { return true }
            next = item.id == .root ? nil : item.parent
        }
        return false
    }

    func resident(at name: ItemName, in folder: ItemID) throws -> CloudItem? {
        guard let id = try store.child(of: folder, key: NameKey(name, folding: state.foldsNames)) else { return nil }
        return try store.item(id)
    }

    /// Restores folders from the topmost down. If a new folder has taken a place meanwhile, that folder is used.
    private mutating func revive(_ deleted: [CloudItem], below top: ItemID) throws -> ItemID {
        var parent = top
        for var folder in deleted.reversed() {
            folder.parent = parent
            parent = try place(folder, unitesFiles: true).id
        }
        return parent
    }

    /// Returns the first free name of `name 2.ext`, `name 3.ext`… Terminates, because a folder has finitely many
    /// children.
    private func freeName(for item: CloudItem) throws -> ItemName {
        var number = 2
        while true {
            let candidate = rules.numberedName.name(item.name, number)
            let other = try resident(at: candidate, in: item.parent)
            if other == nil || other?.id == item.id { return candidate }
            number += 1
        }
    }
}
