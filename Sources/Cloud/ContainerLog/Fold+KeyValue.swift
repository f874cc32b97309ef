import Basics

/// The rules of the key-value store: docs/LOG.md.
extension Fold {
    /// Writes a key. The later write of a key wins; of two at the same time, the later one in the log. A write beyond
    /// the store's limits is void.
    mutating func setValue(_ key: String, to value: [UInt8]?, at time: Timestamp) throws {
        let entry = KeyValueEntry(value: value, time: min(time, state.time))
        let old = try store.keyValue(key)
        guard old.map({ $0.time <= entry.time }) ?? true else { return }
        guard try store.keyValueTotals().allows(entry, replacing: old) else { return note(refused: key) }
        guard old != entry else { return }
        try store.setKeyValue(entry, for: key)
        touch(key: key)
        if value == nil, try store.keyValueTotals().removedKeys > KeyValueLimits.removedKeys {
            try store.forgetOldestRemovedKey()
        }
    }
}
