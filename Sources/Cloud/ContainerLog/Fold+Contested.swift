import CloudModel

/// Further changes of the previous change's edited file. That file stays out of the store meanwhile: writing an item
/// writes all its conflict versions, so many stale edits of one file would otherwise take quadratic time. It is changed
/// in place, because a copy of it would copy that list.
extension Fold {
    /// Applies the change if it concerns only the contested file.
    mutating func applyToContested(_ change: Change) throws -> Bool {
        guard contested != nil else { return false }
        switch change {
        case .edit(let id, let base, .stored(let content), let modified):
            guard try meansContested(id, base) else { return false }
            try receive(edit(from: base, content, modified))
            return true
        case .delete(let id, let base): return try deleteContested(id, base)
        case .resolve(let id, let versions): return try resolveContested(id, versions)
        default: return false
        }
    }

    /// Applies an edit to the contested file.
    mutating func receive(_ edit: Edit) throws {
        if contested?.supersedesUnsaved(edit.base) == true { try saveContested() }
        guard let id = contested?.id, contested?.receive(edit, at: state.time) == true else { return }
        touch(id)
    }

    mutating func closeContested() throws {
        try saveContested()
        contested = nil
    }

    private mutating func saveContested() throws {
        guard contested?.isChanged == true, let item = contested?.item else { return }
        try put(item)
        contested?.markSaved()
    }

    /// Applies a deletion of a conflict version, or a void deletion.
    private mutating func deleteContested(_ id: ItemID, _ base: Digest?) throws -> Bool {
        guard try meansContested(id, base), contested?.digest != base else { return false }
        guard let base, try store.alias(of: id) == nil || contested?.writer(of: base) == author else { return true }
        if contested?.supersedesUnsaved(base) == true { try saveContested() }
        dropConflict(base)
        return true
    }

    /// Drops a conflict version of the contested file.
    mutating func dropConflict(_ digest: Digest) {
        if let id = contested?.id, contested?.dropConflict(digest) == true { touch(id) }
    }

    private mutating func resolveContested(_ id: ItemID, _ versions: [VersionID]) throws -> Bool {
        guard let item = contested?.id, try meansContested(id, nil) else { return false }
        try resolve(versions)
        for version in versions { try buryHeir(of: item, version) }
        return true
    }

    /// Drops these conflict versions of the contested file.
    mutating func resolve(_ versions: [VersionID]) throws {
        if contested?.hasUnsaved(versions) == true { try saveContested() }
        if let id = contested?.id, contested?.resolve(versions) == true { touch(id) }
    }

    /// Whether a change of this id, from this base, concerns the contested file, as determined by ``find(_:)`` and
    /// ``holder(of:for:)``.
    func meansContested(_ id: ItemID, _ base: Digest?) throws -> Bool {
        guard let contestedID = contested?.id else { return false }
        var target = id
        while target != contestedID {
            if let item = try store.item(target), !item.isDeleted { return false }
            guard let next = try store.alias(of: target) else { return false }
            target = next
        }
        guard let base, contested?.holds(base) == false else { return true }
        return try store.alias(of: rules.derivedIDs.trail(of: contestedID, to: base)) == nil
    }
}
