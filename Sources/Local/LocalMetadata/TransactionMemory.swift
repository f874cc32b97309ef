import CloudModel
import ContainerLog

/// What one transaction knows of the database without asking it again. Everything that writes what is kept here says so here.
final class TransactionMemory {
    private struct Key: Hashable {
        let container: ContainerID
        let item: ItemID
    }

    private var items: [Key: CloudItem?] = [:]
    var states: [ContainerID: LogState] = [:]
    /// Whether the table has any row; nil: not looked yet.
    var hasAliases: Bool?
    var hasDepartures: Bool?
    var hasSiblings: Bool?
    var hasPausedFolders: Bool?
    /// What ``RowChanges`` says of this transaction beside the rows.
    var movedFolders: Set<NodeID> = []
    var leftFolders: Set<NodeID> = []
    /// Folders became packages or ceased to be, which none of their rows shows.
    var changesEverything = false
    var packageTypes: [ContainerID: PackageTypes] = [:]
    var changedStores: Set<ContainerID> = []
    /// What keys showed before this transaction changed them.
    var shownValues: [ContainerID: [String: [UInt8]?]] = [:]

    /// A batch touches at most ten thousand items, most of them once.
    private static let limit = 4096

    /// The log's item, read at most once.
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

    /// A flag, looked up once.
    func flag(_ path: ReferenceWritableKeyPath<TransactionMemory, Bool?>, _ look: () throws -> Bool) rethrows -> Bool {
        if let known = self[keyPath: path] { return known }
        let found = try look()
        self[keyPath: path] = found
        return found
    }
}
