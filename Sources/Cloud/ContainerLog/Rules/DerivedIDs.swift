package import CloudModel

/// Ids derived by the fold, identical on all devices. They are in the trees of existing logs, so a case never changes.
package enum DerivedIDs: Sendable {
    case stableHash

    /// Returns the id of the item that a conflict version becomes when its document is deleted; before, devices also
    /// show the version under this id.
    package func heir(of item: ItemID, _ version: VersionID) -> ItemID {
        var hash = StableHash(purpose: 2)
        hash.combine(item)
        hash.combine(version)
        return id(hash)
    }

    /// Returns the id whose alias is the heir holding a content of the item: edits name their base by digest, not by
    /// version.
    package func trail(of item: ItemID, to base: Digest) -> ItemID {
        var hash = StableHash(purpose: 3)
        hash.combine(item)
        hash.combine(base)
        return id(hash)
    }

    /// Returns the id whose alias is the holder of a new file's wanted name.
    func twin(of item: ItemID) -> ItemID {
        var hash = StableHash(purpose: 4)
        hash.combine(item)
        return id(hash)
    }

    /// Creates an id distinct from the well-known ids, like random ones.
    private func id(_ hash: StableHash) -> ItemID {
        let value = hash.value
        return ItemID(high: value.high | 1 << 63, low: value.low)
    }
}
