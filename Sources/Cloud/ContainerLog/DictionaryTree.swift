package import CloudModel

/// A folded container in memory: for tests, simulations and small containers.
package struct DictionaryTree: TreeStore, Sendable {
    private var current: LogState
    private var items: [ItemID: CloudItem] = [:]
    private var folders: [ItemID: [NameKey: ItemID]] = [:]
    /// The newest batch number of each device.
    package private(set) var lastSequences: [DeviceID: UInt64] = [:]
    /// Every alias with its target, unordered.
    package private(set) var aliases: [ItemID: ItemID] = [:]

    /// The key-value store, with removed keys.
    package private(set) var keyValues: [String: KeyValueEntry] = [:]

    /// The garbage collections, by epoch.
    package private(set) var collections: [UInt64: ProposedCollection] = [:]
    private var epochs = CollectionEpochs()

    /// An empty tree. ``ContainerReducer`` creates the well-known folders with the first entry, unless they exist.
    package init(foldsNames: Bool = false) { current = LogState(foldsNames: foldsNames) }

    /// All items ever put, including tombstones, unordered.
    package var allItems: some Collection<CloudItem> { items.values }

    package func state() -> LogState { current }

    package mutating func setState(_ state: LogState) {
        let folded = current.foldsNames
        current = state
        guard folded != state.foldsNames else { return }
        folders = [:]
        for item in items.values where !item.isDeleted { folders[item.parent, default: [:]][key(of: item)] = item.id }
    }

    package func lastSequence(of device: DeviceID) -> UInt64 { lastSequences[device] ?? 0 }

    package mutating func setLastSequence(_ number: UInt64, of device: DeviceID) { lastSequences[device] = number }

    package func item(_ id: ItemID) -> CloudItem? { items[id] }

    package mutating func put(_ item: CloudItem) {
        if let old = items.updateValue(item, forKey: item.id), !old.isDeleted {
            let key = key(of: old)
            if folders[old.parent]?[key] == old.id { folders[old.parent]?[key] = nil }
        }
        if !item.isDeleted { folders[item.parent, default: [:]][key(of: item)] = item.id }
    }

    package func child(of parent: ItemID, key: NameKey) -> ItemID? { folders[parent]?[key] }

    package func children(of parent: ItemID) -> [ItemID] { folders[parent]?.values.sorted() ?? [] }

    package func hasChildren(_ parent: ItemID) -> Bool { folders[parent]?.isEmpty == false }

    package func alias(of id: ItemID) -> ItemID? { aliases[id] }

    package mutating func setAlias(_ id: ItemID, to target: ItemID) { aliases[id] = target }

    package func keyValue(_ key: String) -> KeyValueEntry? { keyValues[key] }

    package mutating func setKeyValue(_ entry: KeyValueEntry, for key: String) { keyValues[key] = entry }

    package func keyValueTotals() -> KeyValueTotals {
        keyValues.values.reduce(into: KeyValueTotals()) { totals, entry in
            totals.keys += entry.value == nil ? 0 : 1
            totals.removedKeys += entry.value == nil ? 1 : 0
            totals.bytes += entry.value?.count ?? 0
        }
    }

    package mutating func forgetOldestRemovedKey() {
        let oldest = keyValues.filter { $0.value.value == nil }.min {
            $0.value.time == $1.value.time
                ? $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) : $0.value.time < $1.value.time
        }
        if let oldest { keyValues[oldest.key] = nil }
    }

    package func collection(_ epoch: UInt64) -> ProposedCollection? { collections[epoch] }

    package mutating func setCollection(_ collection: ProposedCollection) {
        collections[collection.epoch] = collection
        epochs.proposed = max(epochs.proposed, collection.epoch)
        if collection.phase != .proposed { epochs.begun = max(epochs.begun, collection.epoch) }
    }

    package func collectionEpochs() -> CollectionEpochs { epochs }

    private func key(of item: CloudItem) -> NameKey { NameKey(item.name, folding: current.foldsNames) }
}
