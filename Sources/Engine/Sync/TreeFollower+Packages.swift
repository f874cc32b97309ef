import CloudModel
import ContainerLog
import LocalMetadata

/// A package that was changed here and elsewhere apart is kept as two wholes: what this device shows becomes a document of its own beside
/// it, under the name that a conflict sibling would have, and the package is shown anew as the log has it.
extension TreeFollower {
    /// What was in a package that stands aside, under the id by which the log knows it.
    struct SetAside {
        let item: ItemID
        /// All its bytes were here.
        let wasWhole: Bool
        /// The package itself was kept, or dropped.
        let pin: PinState
    }

    /// Before another device's batch is folded: sets every package aside that it changes, if the log was not told of changes made in it here.
    /// Answers what ``showAnew(_:)`` shows once the batch is folded.
    mutating func setAsidePackages(changedBy batch: ChangeBatch, deviceName: String) throws -> [SetAside] {
        var packages: [NodeID] = []
        for change in batch.changes {
            for package in try self.packages(changedBy: change) where !packages.contains(package) {
                packages.append(package)
            }
        }
        guard !packages.isEmpty else { return [] }
        let busy = try packagesBeingTold()
        return try packages.flatMap { node -> [SetAside] in
            guard !busy.contains(node), let package = try transaction.item(node), !package.isPaused,
                try isPackageForAll(package), try hasUntoldChanges(package)
            else { return [] }
            return try setAside(package, deviceName)
        }
    }

    /// Shows what stood aside as the log has it now, with the bytes that were here.
    mutating func showAnew(_ items: [SetAside]) throws {
        for item in items {
            try follow(item.item)
            guard let shown = try transaction.item(item.item, in: container) else { continue }
            if item.wasWhole, shown.kind == .file, shown.presence != .whole { try fetch(item.item) }
            if item.pin != .inherited { try change(item.item) { $0.pin = item.pin } }
        }
    }

    // MARK: Which

    /// The packages in which it changes what files there are or what is in them.
    private func packages(changedBy change: Change) throws -> [NodeID] {
        switch change {
        case .create(_, let parent, _, _, _): [try package(of: parent)].compactMap(\.self)
        case .edit(let id, _, _, _), .delete(let id, _): [try packageAround(id)].compactMap(\.self)
        case .move(let id, let parent, _): [try packageAround(id), try package(of: parent)].compactMap(\.self)
        case .setAttributes, .resolve, .setValue, .raiseRules: []
        }
    }

    private func package(of folder: ItemID) throws -> NodeID? {
        try shown(folder).flatMap { try transaction.package(around: $0.node) }
    }

    /// Not the item itself, if it is one: a package that moves stays what it is.
    private func packageAround(_ id: ItemID) throws -> NodeID? {
        try shown(id).flatMap { try transaction.package(around: $0.parent) }
    }

    private func shown(_ id: ItemID) throws -> LocalItem? {
        let tree = RemoteTree(transaction, container: container)
        return try transaction.item(try tree.alias(of: id) ?? id, in: container)
    }

    /// One that got its name here a moment ago is a folder like any other to whoever changed it.
    private func isPackageForAll(_ package: LocalItem) throws -> Bool {
        try transaction.remote(package.item, in: container).map { PackageTypes.isPackage($0.name) } ?? false
    }

    /// Those of which a batch is on its way, whose changes fold with the others' file by file, and those that somebody holds under a claim.
    private func packagesBeingTold() throws -> Set<NodeID> {
        var busy = Set(try held.compactMap { try transaction.package(around: $0) })
        guard let waiting = try transaction.outbox(of: container) else { return busy }
        for change in try ChangeBatch(decoding: waiting.payload).changes {
            busy.formUnion(try packages(changedBy: change))
        }
        return busy
    }

    /// Whether another device would see other files in it, or other bytes.
    private func hasUntoldChanges(_ package: LocalItem) throws -> Bool {
        var found = false
        try transaction.forEach(below: package) { item in
            guard !found, !item.isExcluded, item.conflict == nil else { return }
            if item.kind == .folder, try !transaction.unsentDepartures(from: item.node).isEmpty { found = true }
            guard item.node != package.node, item.pendingSince != nil || item.isEdited || item.isWriting else { return }
            let plan = Reconciler().plan(try transaction.trees(of: item.item, in: container))
            found = found || item.isWriting || plan.needsUpload || plan.changes.contains(where: \.isOfContents)
        }
        return found
    }

    // MARK: How

    private mutating func setAside(_ package: LocalItem, _ deviceName: String) throws -> [SetAside] {
        var rows: [LocalItem] = []
        try transaction.forEach(below: package) { if $0.conflict == nil { rows.append($0) } }
        var gone: [SetAside] = []
        for row in rows {
            if row.kind == .folder {
                for departure in try transaction.unsentDepartures(from: row.node) {
                    try transaction.removeDeparture(of: departure.item, in: container)
                    gone.append(try release(departure.item))
                }
            }
            let trees = try transaction.trees(of: row.item, in: container)
            // What the log never had of it has no other place to be.
            guard !row.isExcluded, trees.remote != nil || trees.synced != nil else { continue }
            gone.append(
                try release(
                    row.item, wasWhole: row.presence == .whole, pin: row.node == package.node ? row.pin : .inherited))
            try standAside(row)
        }
        let name = try ConflictNaming.name(of: package.name, from: deviceName, at: now) {
            try transaction.item(named: $0, in: package.parent) != nil
        }
        try rename(package, to: name)
        return gone
    }

    /// To be shown again, as if it had never been here.
    private func release(
        _ id: ItemID, wasWhole: Bool = false, pin: PinState = .inherited
    ) throws -> SetAside {
        try transaction.setSyncedAbsent(id, in: container)
        return SetAside(item: id, wasWhole: wasWhole, pin: pin)
    }

    /// The row, with its bytes and whoever has it open, becomes something new that the log is to hear of.
    private mutating func standAside(_ row: LocalItem) throws {
        // Announced by somebody, and no bytes anywhere yet: there is nothing to keep.
        if row.kind == .file, row.content == nil, row.presence == .none, row.size > 0 { return try drop(row) }
        var copy = row
        copy.item = newID()
        copy.isKnown = false
        copy.wanted = 0
        if !row.isWriting { copy.pendingSince = now }
        try transaction.update(copy)
    }

    private mutating func rename(_ package: LocalItem, to name: ItemName) throws {
        guard var row = try transaction.item(package.node) else { return }
        row.name = name
        row.changed = now
        try transaction.update(row)
        enter(row.parent, package.name)
        enter(row.parent, name)
        freed.insert(row.parent)
        effects.changedNodes.insert(row.node)
    }
}

extension Change {
    /// Whether it changes which files there are, or what is in one.
    fileprivate var isOfContents: Bool {
        switch self {
        case .create, .edit, .move, .delete: true
        case .setAttributes, .resolve, .setValue, .raiseRules: false
        }
    }
}
