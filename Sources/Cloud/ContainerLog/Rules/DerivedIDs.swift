package import CloudModel

/// Ids that the fold derives from other ids, the same on every device. They are in the trees of existing logs, so a case never changes.
package enum DerivedIDs: Sendable {
    case stableHash

    /// Returns the id of the item that a conflict version becomes when its document is deleted; devices also show the version under this id
    /// before.
    package func heir(of item: ItemID, _ version: VersionID) -> ItemID {
        var hash = StableHash(purpose: 2)
        hash.combine(item)
        hash.combine(version)
        return id(hash)
    }

    /// Returns the id whose alias is the heir that holds a content of the item: edits name their base by digest, not by version.
    package func trail(of item: ItemID, to base: Digest) -> ItemID {
        var hash = StableHash(purpose: 3)
        hash.combine(item)
        hash.combine(base)
        return id(hash)
    }

    /// Returns the id whose alias is the item that had the name which a new file wanted.
    func twin(of item: ItemID) -> ItemID {
        var hash = StableHash(purpose: 4)
        hash.combine(item)
        return id(hash)
    }

    /// Makes an id distinct from the well-known ids, like random ones.
    private func id(_ hash: StableHash) -> ItemID {
        let value = hash.value
        return ItemID(high: value.high | 1 << 63, low: value.low)
    }
}
