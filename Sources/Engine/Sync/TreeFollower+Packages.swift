import CloudModel
import ContainerLog
import LocalMetadata

/// Keeps both versions of a package changed concurrently on this device and remotely: the local version becomes a
/// separate document beside it, named like a conflict sibling, and the package is shown again as in the log.
extension TreeFollower {
    /// An item of a package that was set aside, under its id in the log.
    struct SetAside {
        let item: ItemID
        /// Whether all its bytes were on this device.
        let wasWhole: Bool
        /// The pin, if this is the package itself.
        let pin: PinState
    }

    /// Sets aside every package changed by a remote batch, if it has local changes missing from the log. Called before
    /// the batch, which must be neither a repeat nor refused, is folded. Returns the items for ``showAgain(_:)`` to
    /// show once the batch is folded.
    mutating func setAsidePackages(changedBy batch: ChangeBatch, deviceName: String) throws -> [SetAside] {
        try withdrawRefused(behind: batch)
        var packages: [ItemID] = []
        for change in batch.changes {
            for package in try self.packages(changedBy: change) where !packages.contains(package) {
                packages.append(package)
            }
        }
        guard !packages.isEmpty else { return [] }
        let busy = try packagesBeingSent()
        return try packages.flatMap { id -> [SetAside] in
            guard let package = try transaction.local.item(id, in: container) else { return try bringBack(id) }
            guard !busy.contains(package.node), package.isPackage, try !transaction.local.isPaused(package),
                try hasUntoldChanges(package), try !hasAnnouncements(package)
            else { return [] }
            return try setAside(package, deviceName)
        }
    }

    /// Restores a package with a local deletion missing from the log: the remote change wins, and the whole package is
    /// restored.
    private func bringBack(_ package: ItemID) throws -> [SetAside] {
        // If it is no package locally, each file is an independent item.
        guard let name = try transaction.pending.departure(of: package, in: container)?.name,
            try transaction.local.packageTypes(of: container).isPackage(name)
        else { return [] }
        var (gone, next): ([ItemID], [ItemID]) = ([], [package])
        while let id = next.popLast() {
            next += try tree.children(of: id)
            // An item moved out of the package stays at its new place.
            guard try transaction.local.node(of: id, in: container) == nil else { continue }
            guard let departure = try transaction.pending.departure(of: id, in: container), !departure.isSent else {
                return []
            }
            gone.append(id)
        }
        return try gone.map { id in
            try transaction.pending.removeDeparture(of: id, in: container)
            return try release(id)
        }
    }

    /// Shows the items of packages set aside in the log's current state, with their former local bytes.
    mutating func showAgain(_ items: [SetAside]) throws {
        for item in items {
            try follow(item.item)
            guard let shown = try transaction.local.item(item.item, in: container) else { continue }
            if item.wasWhole, shown.content != nil, shown.presence != .whole { try fetch(item.item) }
            if item.pin != .inherited { try change(item.item) { $0.pin = item.pin } }
        }
    }

    // MARK: Selecting packages

    /// Withdraws the batch being sent if `batch` changes any of its packages first: the log will refuse it, and its
    /// changes are to be sent again.
    private func withdrawRefused(behind batch: ChangeBatch) throws {
        guard !batch.packages.isEmpty, let waiting = try transaction.pending.batch(of: container) else { return }
        let ours = Set(try ChangeBatch(decoding: waiting.payload).packages.map(\.package))
        guard batch.packages.contains(where: { ours.contains($0.package) }) else { return }
        try transaction.withdrawBatch(of: container)
    }

    /// Returns the log's packages with files or contents affected by a change: an item moved into a package locally,
    /// and not sent, is not in it on the changing device. A folder that is a package only on some devices counts as an
    /// ordinary folder.
    private func packages(changedBy change: Change) throws -> [ItemID] {
        try tree.folders(changedBy: change).compactMap { try outermost(around: $0) }
    }

    private var tree: RemoteTree { transaction.remote(in: container) }

    /// Returns the log's outermost package at or above a folder.
    private func outermost(around folder: ItemID) throws -> ItemID? { try tree.packages(around: folder).last?.id }

    private func remote(_ id: ItemID) throws -> CloudItem? { try tree.item(try tree.alias(of: id) ?? id) }

    /// Returns the packages changed by the batch being sent and not about to be refused, and those held under a claim.
    private func packagesBeingSent() throws -> Set<NodeID> {
        var busy = Set(try held.compactMap { try transaction.local.package(around: $0) })
        guard let waiting = try transaction.pending.batch(of: container) else { return busy }
        for change in try ChangeBatch(decoding: waiting.payload).changes {
            busy.formUnion(
                try packages(changedBy: change).compactMap { try transaction.local.node(of: $0, in: container) })
        }
        return busy
    }

    /// Returns whether sending the local changes would show other devices different files in the package, or different
    /// bytes.
    private func hasUntoldChanges(_ package: LocalItem) throws -> Bool {
        var found = false
        try transaction.local.forEach(below: package) { item in
            guard !found, !item.isExcluded, item.conflict == nil else { return }
            if item.kind == .folder, try !transaction.pending.unsentDepartures(from: item.node).isEmpty { found = true }
            guard item.node != package.node, item.pendingSince != nil || item.isEdited || item.isWriting else { return }
            let plan = Reconciler().plan(try transaction.treesPromotingSibling(of: item.item, in: container))
            found = found || item.isWriting || plan.needsUpload || plan.changes.contains(where: \.isOfContents)
        }
        return found
    }

    /// Returns whether the log waits for the bytes of an item in the package: a device that announced it under one id
    /// cannot upload it under another.
    private func hasAnnouncements(_ package: LocalItem) throws -> Bool {
        var found = false
        try transaction.local.forEach(below: package) { item in
            guard !found, item.kind == .file, let content = try remote(item.item)?.body.content else { return }
            found = content.reference == nil && content.size > 0
        }
        return found
    }

    // MARK: Setting aside

    private mutating func setAside(_ package: LocalItem, _ deviceName: String) throws -> [SetAside] {
        var rows: [LocalItem] = []
        try transaction.local.forEach(below: package) { if $0.conflict == nil { rows.append($0) } }
        var gone: [SetAside] = []
        for departed in try departedItems(of: package, rows) {
            try transaction.pending.removeDeparture(of: departed, in: container)
            gone.append(try release(departed))
        }
        for row in rows {
            let trees = try transaction.trees(of: row.item, in: container)
            // Items never in the log exist only in the copy, and items elsewhere in the log were moved in locally; both
            // stay with the copy.
            guard !row.isExcluded, trees.remote != nil || trees.synced != nil,
                try row.node == package.node || isInLog(trees, package)
            else { continue }
            gone.append(
                try release(
                    row.item, wasWhole: row.presence == .whole, pin: row.node == package.node ? row.pin : .inherited))
            let conflict = PackageConflict(document: package.item, device: deviceName)
            try standAside(row, as: row.node == package.node ? conflict : nil)
        }
        let name = try SiblingName.name(of: package.name, from: deviceName, at: now) {
            try transaction.local.item(named: $0, in: package.parent) != nil
        }
        try rename(package, to: name)
        return gone
    }

    /// Returns locally deleted items that the log still places in the package. An item moved into the package and then
    /// deleted is deleted at its place in the log.
    private func departedItems(of package: LocalItem, _ rows: [LocalItem]) throws -> [ItemID] {
        var departed: Set<ItemID> = []
        for row in rows where row.kind == .folder {
            for departure in try transaction.pending.unsentDepartures(below: row.node)
            where try isInLog(transaction.trees(of: departure.item, in: container), package) {
                departed.insert(departure.item)
            }
        }
        // A program replacing a package, or a folder in it, deletes items of a folder no longer inside.
        var folders = [package.item]
        // Damaged rows may form a cycle.
        var seen = Set(folders)
        while let folder = folders.popLast() {
            for child in try tree.children(of: folder) where seen.insert(child).inserted {
                folders.append(child)
                guard try transaction.local.node(of: child, in: container) == nil,
                    let departure = try transaction.pending.departure(of: child, in: container), !departure.isSent
                else { continue }
                departed.insert(child)
            }
        }
        return departed.sorted()
    }

    private func isInLog(_ trees: ItemTrees, _ package: LocalItem) throws -> Bool {
        guard let parent = (trees.remote ?? trees.synced)?.parent else { return false }
        return try outermost(around: parent) == package.item
    }

    /// Releases an item, so that it is shown again as if new to this device.
    private func release(
        _ id: ItemID, wasWhole: Bool = false, pin: PinState = .inherited
    ) throws -> SetAside {
        try transaction.synced.setAbsent(id, in: container)
        return SetAside(item: id, wasWhole: wasWhole, pin: pin)
    }

    /// Turns the row, with its bytes and open handles, into a new item to be sent to the log.
    private mutating func standAside(_ row: LocalItem, as conflict: PackageConflict?) throws {
        var copy = row
        copy.item = newID()
        copy.isKnown = false
        copy.wanted = 0
        if let conflict { copy.packageConflict = conflict }
        // The last close records the writes; for a file merely open for writing it would record nothing.
        if !row.isWriting || !row.isEdited { copy.pendingSince = now }
        try transaction.local.update(copy)
    }

    private mutating func rename(_ package: LocalItem, to name: ItemName) throws {
        guard var row = try transaction.local.item(package.node) else { return }
        effects.noteMove(of: row)
        row.name = name
        row.changed = now
        try transaction.local.update(row)
        enter(row.parent, package.name)
        enter(row.parent, name)
        freed.insert(row.parent)
        effects.changedNodes.insert(row.node)
    }
}

extension Change {
    /// Whether it changes the set of files, or a file's content.
    fileprivate var isOfContents: Bool {
        switch self {
        case .create, .edit, .move, .delete: true
        case .setAttributes, .resolve, .setValue, .collection, .raiseRules: false
        }
    }
}
