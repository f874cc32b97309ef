import CloudModel

/// The rules for names and places: one name once in a folder, every live item below the root.
extension Fold {
    /// Makes an item live at the place that it bears. Where another has that name: equals become one, others get `name
    /// 2.ext`.
    ///
    /// - Returns: The item, or the one that it became.
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

    /// The live folder that this id stands for, brought back with its parents if it was deleted; the root if it is no
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

    /// Whether `id` is `folder` or anything above it.
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

    /// From the topmost down; where a folder has taken the place meanwhile, that one is it.
    private mutating func revive(_ deleted: [CloudItem], below top: ItemID) throws -> ItemID {
        var parent = top
        for var folder in deleted.reversed() {
            folder.parent = parent
            parent = try place(folder, unitesFiles: true).id
        }
        return parent
    }

    /// `name 2.ext`, `name 3.ext`…: the first that no other item has. Ends, as a folder has finitely many children.
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
