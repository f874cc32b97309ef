package import Basics
package import CloudModel
package import ContainerLog
package import LocalMetadata

/// Gathers a container's unsent changes into a single batch, parents before their children.
package struct BatchBuilder {
    let transaction: MetadataTransaction
    let container: ContainerID
    let reconciler = Reconciler()
    package internal(set) var changes: [Change] = []
    var planned: Set<ItemID> = []
    /// The planned items with all their changes in the batch.
    var complete: Set<ItemID> = []
    /// Items that turned out to have nothing to send.
    package private(set) var quiet: [ItemID] = []
    /// Items with a deletion that turned out to have nothing to send: the mount shows the log's state of them again.
    package internal(set) var returning: [ItemID] = []

    /// Bounds a batch, and with it the transaction and memory needed by every device that reads it.
    package static let limit = 1_000

    /// New files from this size on are announced while their bytes are uploaded. Each announcement costs an additional
    /// change.
    private let announcedSize: UInt64
    /// A change after this time has not settled.
    private let time: Timestamp
    /// Items now being written under a claim.
    private let held: Set<NodeID>
    var packages = PackageMemory()

    package init(
        _ transaction: MetadataTransaction, container: ContainerID, announcedSize: UInt64 = .max,
        settledBefore time: Timestamp = Timestamp(nanoseconds: .max), held: Set<NodeID> = []
    ) {
        self.time = time
        self.held = held
        self.transaction = transaction
        self.container = container
        self.announcedSize = announcedSize
    }

    /// Bytes of attributes and names gathered so far, approximately as the log stores them.
    private var bytes = 0
    private static let byteLimit = 1 << 20

    package var isFull: Bool { changes.count >= Self.limit || bytes >= Self.byteLimit || packages.isCutShort }

    /// Adds items until the batch is full; a blocked item does not block the items behind it.
    package mutating func addReady(before time: Timestamp) throws {
        try addFolding()
        let (transaction, container, size) = (transaction, container, announcedSize)
        try addPages { try transaction.pending.ready(in: container, before: time, after: $0, limit: Self.limit) }
        try addPages {
            try transaction.pending.announceable(in: container, before: time, from: size, after: $0, limit: Self.limit)
        }
    }

    /// Adds the root first, settled or not, if it changes the comparison of names: this counts only while the log has
    /// nothing in the container.
    private mutating func addFolding() throws {
        guard let root = try transaction.local.item(.root, in: container), root.pendingSince != nil else { return }
        let name = ReservedAttribute.foldsNames
        let sent = try transaction.remote(.root, in: container)?.attributes.extended[name]
        if root.attributes.extended[name] != sent { try add(root) }
    }

    private mutating func addPages(_ page: (_ last: LocalItem?) throws -> [LocalItem]) throws {
        var last: LocalItem?
        while !isFull {
            let items = try page(last)
            for item in items where !isFull { try add(item) }
            last = items.last
            guard items.count == Self.limit else { return }
        }
    }

    /// Adds the changes of an item, after those of folders above it missing from the log. For an item in a package,
    /// adds the changes of the whole package if all of it has settled and is in the cloud, and nothing otherwise.
    package mutating func add(_ item: LocalItem) throws {
        guard let package = try packages.package(around: item, transaction) else {
            return try addAlone(item)
        }
        try add(package: package, instead: { try $0.addAlone(item) })
    }

    /// Adds all changes of a package to a single entry of the log, so that no device ever sees half of it.
    mutating func add(package: NodeID, instead: (inout BatchBuilder) throws -> Void) throws {
        switch packages.states[package] {
        case .waiting: return
        case .complete, .loose: return try instead(&self)
        case nil: break
        }
        let delta = try transaction.pending.unsentChanges(ofPackage: package, settledBefore: time)
        guard !held.contains(package), !delta.isUnderway else { return packages.states[package] = .waiting }
        let count = delta.items.count + delta.departures.count
        guard count <= PackageMemory.limit, delta.bytes <= Self.byteLimit else {
            packages.states[package] = .loose
            return try instead(&self)
        }
        guard
            changes.isEmpty || changes.count + count <= PackageMemory.limit && bytes + delta.bytes <= 2 * Self.byteLimit
        else {
            packages.isCutShort = true
            return packages.states[package] = .waiting
        }
        packages.states[package] = .complete
        for item in delta.items { try addAlone(item) }
        for departure in delta.departures { try addAlone(departure) }
    }

    mutating func addAlone(_ item: LocalItem) throws {
        guard !item.isExcluded, try !transaction.local.isPaused(item), planned.insert(item.item).inserted else {
            return
        }
        let trees = try transaction.treesPromotingSibling(of: item.item, in: container)
        guard let local = trees.local else { return }
        if trees.remote == nil || local.parent != trees.remote?.parent, try !addParent(of: item) {
            planned.remove(item.item)
            return
        }
        let plan = reconciler.plan(trees)
        let isAnnounced = try item.size >= announcedSize && packages.package(around: item, transaction) == nil
        let added = plan.changes + (isAnnounced ? [plan.announcement].compactMap(\.self) : [])
        var displaced: [LocalItem] = []
        for change in added {
            if let resident = try makeRoom(for: change) { displaced.append(resident) }
        }
        complete.insert(item.item)
        changes.append(contentsOf: added)
        bytes += item.roughSize
        if plan.changes.isEmpty, !plan.needsUpload, !plan.isPostponed { quiet.append(item.item) }
        for resident in displaced { try addAlone(resident) }
    }

    /// Adds written keys of the key-value store until the batch is full. Returns whether there were any.
    package mutating func add(_ values: [PendingKeyValue]) throws -> Bool {
        var didAdd = false
        for pending in values where !isFull {
            changes.append(.setValue(key: pending.key, value: pending.value, time: pending.time))
            bytes += pending.key.utf8.count + (pending.value?.count ?? 0) + 24
            try transaction.keyValues.markSent(pending)
            didAdd = true
        }
        return didAdd
    }

    /// Adds resolved conflict versions, after the edits and new items that received their content, and removed
    /// versions.
    ///
    /// - Parameter untilFull: Whether the excess may wait for the next batch.
    package mutating func add(_ resolutions: [Resolution], untilFull: Bool = false) throws {
        for (item, group) in Dictionary(grouping: resolutions, by: \.item).sorted(by: { $0.key < $1.key }) {
            if untilFull, isFull { return }
            changes.append(.resolve(item, versions: group.map(\.version).sorted()))
            bytes += 24 + 12 * group.count
            for resolution in group { try transaction.pending.markSent(resolution) }
        }
    }
}
