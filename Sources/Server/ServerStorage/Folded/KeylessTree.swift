import ContainerLog

/// A folded log without the key-value store. Keys name no contents and are in no folder, so the items are the same without them.
protocol KeylessTree: TreeStore {}

extension KeylessTree {
    func keyValue(_ key: String) -> KeyValueEntry? { nil }
    func setKeyValue(_ entry: KeyValueEntry, for key: String) {}
    func keyValueTotals() -> KeyValueTotals { KeyValueTotals() }
    func forgetOldestRemovedKey() {}
}
