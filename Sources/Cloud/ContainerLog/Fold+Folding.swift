import CloudModel

/// The rules of containers whose names are compared without case: docs/LOG.md.
extension Fold {
    /// Decides whether a change of the root's attributes switches the comparison of names: only while the container is empty, because its
    /// names are then free to be compared in either way, and once in an entry, because looking costs a read of the whole root. A switch
    /// that does not count is left out of the change, so that the attribute always says how names are compared.
    mutating func switchesFolding(_ changes: inout AttributeChanges) throws -> Bool {
        guard case .some(let value) = changes.extended[ReservedAttribute.foldsNames],
            (value != nil) != state.foldsNames
        else { return false }
        defer { hasSwitchedFolding = true }
        if try !hasSwitchedFolding && isEmpty { return true }
        changes.extended.removeValue(forKey: ReservedAttribute.foldsNames)
        return false
    }

    /// Compares names in another way from here on. The keys of the two folders that are there are stored again.
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
