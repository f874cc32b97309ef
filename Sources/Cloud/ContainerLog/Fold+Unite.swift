import CloudModel

/// The rules for merging two equal items: the later becomes an alias of the earlier.
extension Fold {
    /// Makes `newcomer` an alias of `resident`, and likewise for equal items inside, folder by folder.
    ///
    /// - Returns: The resident.
    mutating func unite(_ newcomer: CloudItem, into resident: CloudItem) throws -> CloudItem {
        // A list instead of recursion: the log's authors determine the depth of folders.
        var pending = [(newcomer, resident)]
        while let (item, target) = pending.popLast() {
            try absorb(item, into: target)
            for id in try store.children(of: item.id) {
                guard var child = try store.item(id) else { continue }
                if let other = try self.resident(at: child.name, in: target.id), child.equals(other, packageTypes) {
                    pending.append((child, other))
                } else {
                    child.parent = target.id
                    try place(child, unitesFiles: true)
                }
            }
        }
        return try store.item(resident.id) ?? resident
    }

    /// Removes the item from its place first, freeing all names in the target for its contents.
    private mutating func absorb(_ item: CloudItem, into target: CloudItem) throws {
        var gone = item
        gone.isDeleted = true
        gone.conflicts = []
        try store.put(gone)
        try store.setAlias(item.id, to: target.id)
        touch(item.id)
        noteMerge(of: item.id, into: target.id)

        guard var heir = try store.item(target.id) else { return }
        heir.keep(item.conflicts)
        try put(heir)
        touch(target.id)
    }

    // MARK: Announced files

    /// Records the holder of a new file's wanted name, while it is unknown whether both files are equal.
    mutating func awaitTwin(_ item: CloudItem, of resident: CloudItem) throws {
        guard let content = item.body.content, let other = resident.body.content else { return }
        guard content.reference == nil || other.reference == nil else { return }
        try store.setAlias(rules.derivedIDs.twin(of: item.id), to: resident.id)
    }

    /// Merges twins after a file's first content has arrived: new files with the same wanted name and equal contents
    /// are merged, as if both had arrived complete.
    mutating func uniteTwins(of id: ItemID) throws {
        guard let item = try store.item(id), !item.isDeleted else { return }
        if let wanted = try store.alias(of: rules.derivedIDs.twin(of: id)), let other = try find(wanted),
            isTwin(item, of: other)
        {
            _ = try unite(item, into: other)
            return
        }
        var number = 2
        while let other = try resident(at: rules.numberedName.name(item.name, number), in: item.parent) {
            if try store.alias(of: rules.derivedIDs.twin(of: other.id)) == id, isTwin(other, of: item) {
                _ = try unite(other, into: item)
            }
            number += 1
        }
    }

    /// Whether `later` is equal and still at its fallback place beside `earlier`.
    private func isTwin(_ later: CloudItem, of earlier: CloudItem) -> Bool {
        guard !earlier.isDeleted, later.parent == earlier.parent, later.id != earlier.id,
            later.equals(earlier, packageTypes)
        else {
            return false
        }
        return (2...99).contains { later.name == rules.numberedName.name(earlier.name, $0) }
    }
}

extension CloudItem {
    /// Whether two items with the same name are equal: folders that are not packages, files with the same bytes, links
    /// to the same target.
    func equals(_ other: CloudItem, _ types: PackageTypes) -> Bool {
        switch (body, other.body) {
        case (.folder, .folder): !types.isPackage(name) && !types.isPackage(other.name)
        case (.symlink(let target), .symlink(let otherTarget)): target == otherTarget
        case (.file, .file): digest != nil && digest == other.digest
        default: false
        }
    }
}
