import CloudModel
import ContainerLog

/// Values read and cached by a transaction. Every write of such a value updates it here.
final class TransactionMemory {
    private struct Key: Hashable {
        let container: ContainerID
        let item: ItemID
    }

    private var items: [Key: CloudItem?] = [:]
    var states: [ContainerID: LogState] = [:]
    /// Whether the table has any row; nil if it was not read yet.
    var hasAliases: Bool?
    var hasDepartures: Bool?
    var hasVacated: Bool?
    var hasSiblings: Bool?
    var hasPausedFolders: Bool?
    /// The changes of this transaction reported by ``RowChanges`` besides the rows.
    var movedFolders: Set<NodeID> = []
    var leftFolders: Set<NodeID> = []
    /// Folders with unknown rows whose times were set because their entries changed.
    var touchedFolders: Set<NodeID> = []
    /// The rows known without reading them; nil in a read transaction, which sees an older state.
    var rows: KnownRows?
    /// Whether folders became packages or ceased to be, which none of their rows shows.
    var changesEverything = false
    /// Whether an item named like an ignore file was changed.
    var changesIgnoreFiles = false
    /// Whether an unexcluded folder moved.
    var movesSyncedFolders = false
    var declarations: [ContainerID: RootDeclarations] = [:]
    var collections: [ContainerID: CollectionEpochs] = [:]
    /// The items of the batch being sent.
    var sentItems: [ContainerID: Set<ItemID>] = [:]
    /// The source of new nodes' numbers; nil: SQLite.
    var numbers: NodeNumbers?
    var changedStores: Set<ContainerID> = []
    /// Called when the transaction has ended, before the next can begin.
    var endings: [(_ isCommitted: Bool) -> Void] = []
    /// The shown values of keys before this transaction changed them.
    var shownValues: [ContainerID: [String: [UInt8]?]] = [:]

    /// The maximum number of cached items: a batch affects at most ten thousand, most of them once.
    private static let limit = 4096

    /// Returns the log's item, read at most once.
    func item(_ id: ItemID, in container: ContainerID, _ read: () throws -> CloudItem?) rethrows -> CloudItem? {
        let key = Key(container: container, item: id)
        if let known = items[key] { return known }
        let item = try read()
        remember(item, key)
        return item
    }

    func put(_ item: CloudItem, in container: ContainerID) { remember(item, Key(container: container, item: item.id)) }

    private func remember(_ item: CloudItem?, _ key: Key) {
        if items.count >= Self.limit { items.removeAll(keepingCapacity: true) }
        items[key] = .some(item)
    }

    /// Returns a flag, looked up once.
    func flag(_ path: ReferenceWritableKeyPath<TransactionMemory, Bool?>, _ look: () throws -> Bool) rethrows -> Bool {
        if let known = self[keyPath: path] { return known }
        let found = try look()
        self[keyPath: path] = found
        return found
    }
}
