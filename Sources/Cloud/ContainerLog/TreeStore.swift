package import CloudModel

/// The store of a folded container: a dictionary in tests and simulations, SQLite on a device. The reducer uses nothing
/// else, so a tree of a million items need not fit in memory. Stores do not decide anything.
///
/// A throwing fold may leave half of an entry in the store: fold inside a transaction and roll it back.
package protocol TreeStore {
    func state() throws -> LogState
    mutating func setState(_ state: LogState) throws

    /// Returns the device's newest batch number in the log; 0 before its first.
    func lastSequence(of device: DeviceID) throws -> UInt64
    mutating func setLastSequence(_ number: UInt64, of device: DeviceID) throws

    /// Returns an item, including tombstones. Does not follow aliases.
    func item(_ id: ItemID) throws -> CloudItem?
    /// Inserts or replaces an item with its conflicts.
    mutating func put(_ item: CloudItem) throws

    /// Returns the folder's live item with this name key (``NameKey``).
    func child(of parent: ItemID, key: NameKey) throws -> ItemID?
    /// Returns the live children, sorted by id.
    func children(of parent: ItemID) throws -> [ItemID]
    func hasChildren(_ parent: ItemID) throws -> Bool

    /// Returns an alias's target since two items were merged; nil if the id stands for itself. The reducer also stores
    /// derived ids here that never belonged to an item (``DerivedIDs``).
    func alias(of id: ItemID) throws -> ItemID?
    /// Sets or replaces an alias. The target may become an alias itself later.
    mutating func setAlias(_ id: ItemID, to target: ItemID) throws

    /// Returns a possibly removed key of the key-value store; nil if it never existed or is forgotten.
    func keyValue(_ key: String) throws -> KeyValueEntry?
    mutating func setKeyValue(_ entry: KeyValueEntry, for key: String) throws
    func keyValueTotals() throws -> KeyValueTotals
    /// Drops the removed key with the earliest time; of several, the first by UTF-8 order.
    mutating func forgetOldestRemovedKey() throws

    /// Returns the garbage collection of that epoch; nil if it was not proposed.
    func collection(_ epoch: UInt64) throws -> ProposedCollection?
    /// Inserts or replaces the collection of an epoch.
    mutating func setCollection(_ collection: ProposedCollection) throws
    func collectionEpochs() throws -> CollectionEpochs
}
