import CloudModel

/// The rules of containers with case-insensitive names: docs/LOG.md.
extension Fold {
    /// Decides whether a change of the root's attributes switches the comparison of names: only in an empty container,
    /// because its names are then free to be compared either way, and once per entry, because the check reads the whole
    /// root. A void switch is left out of the change, so that the attribute always reflects the comparison.
    mutating func switchesFolding(_ changes: inout AttributeChanges) throws -> Bool {
        guard case .some(let value) = changes.extended[ReservedAttribute.foldsNames],
            (value != nil) != state.foldsNames
        else { return false }
        defer { hasSwitchedFolding = true }
        if try !hasSwitchedFolding && isEmpty { return true }
        changes.extended.removeValue(forKey: ReservedAttribute.foldsNames)
        return false
    }

    /// Changes the comparison of names from here on. The keys of the two existing folders are stored again.
    mutating func setFolding(_ folds: Bool) throws {
        guard folds != state.foldsNames else { return }
        state.foldsNames = folds
        var stored = try store.state()
        stored.foldsNames = folds
        try store.setState(stored)
        for id in [ItemID.root, .documents] {
            guard let item = try store.item(id) else { continue }
            try store.put(item)
            touch(id)
        }
    }

    private var isEmpty: Bool {
        get throws {
            guard try !store.hasChildren(.documents) else { return false }
            return try store.children(of: .root) == [.documents]
        }
    }
}
