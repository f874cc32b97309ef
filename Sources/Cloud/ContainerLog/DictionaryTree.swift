package import CloudModel

/// A folded container in memory: for tests, simulations and small containers.
package struct DictionaryTree: TreeStore, Sendable {
    private var current: LogState
    private var items: [ItemID: CloudItem] = [:]
    private var folders: [ItemID: [NameKey: ItemID]] = [:]
    private var devices: [DeviceID: UInt64] = [:]
    /// Every id that stands for another, in no order.
    package private(set) var aliases: [ItemID: ItemID] = [:]

    /// An empty tree. ``ContainerReducer`` makes the well-known folders with the first entry, if nobody did before.
    package init(foldsNames: Bool = false) { current = LogState(foldsNames: foldsNames) }

    /// Everything ever put, tombstones included, in no order.
    package var allItems: some Collection<CloudItem> { items.values }

    package func state() -> LogState { current }

    package mutating func setState(_ state: LogState) { current = state }

    package func lastSequence(of device: DeviceID) -> UInt64 { devices[device] ?? 0 }

    package mutating func setLastSequence(_ number: UInt64, of device: DeviceID) { devices[device] = number }

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

    private func key(of item: CloudItem) -> NameKey { NameKey(item.name, folding: current.foldsNames) }
}
