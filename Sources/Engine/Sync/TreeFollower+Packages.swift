import CloudModel
import ContainerLog
import LocalMetadata

/// A package that was changed here and elsewhere apart is kept as two wholes: what this device shows becomes a document of its own beside
/// it, under the name that a conflict sibling would have, and the package is shown again as the log has it.
extension TreeFollower {
    /// What was in a package that stands aside, under the id by which the log knows it.
    struct SetAside {
        let item: ItemID
        /// All its bytes were here.
        let wasWhole: Bool
        /// The package itself was kept, or dropped.
        let pin: PinState
    }

    /// Before another device's batch is folded, which is neither a repeat nor refused: sets every package aside that it changes, if the log
    /// does not have changes made in it here. Returns what ``showAnew(_:)`` shows once the batch is folded.
    mutating func setAsidePackages(changedBy batch: ChangeBatch, deviceName: String) throws -> [SetAside] {
        try withdrawRefused(behind: batch)
        var packages: [ItemID] = []
        for change in batch.changes {
            for package in try self.packages(changedBy: change) where !packages.contains(package) {
                packages.append(package)
            }
        }
        guard !packages.isEmpty else { return [] }
        let busy = try packagesBeingTold()
        return try packages.flatMap { id -> [SetAside] in
            guard let package = try transaction.local.item(id, in: container) else { return try bringBack(id) }
            guard !busy.contains(package.node), package.isPackage, try !transaction.local.isPaused(package),
                try hasUntoldChanges(package), try !hasAnnouncements(package)
            else { return [] }
            return try setAside(package, deviceName)
        }
    }

    /// A package that was deleted here, which the log does not know of: the device that changed it wins, and what comes back is the whole.
    private func bringBack(_ package: ItemID) throws -> [SetAside] {
        // Where it is no package here, each file is an item of its own.
        guard let name = try transaction.pending.departure(of: package, in: container)?.name,
            try transaction.local.packageTypes(of: container).isPackage(name)
        else { return [] }
        var (gone, next): ([ItemID], [ItemID]) = ([], [package])
        while let id = next.popLast() {
            next += try tree.children(of: id)
            // What was moved out of it is where it was moved to.
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

    /// Shows what stood aside as the log has it now, with the bytes that were here.
    mutating func showAnew(_ items: [SetAside]) throws {
        for item in items {
            try follow(item.item)
            guard let shown = try transaction.local.item(item.item, in: container) else { continue }
            if item.wasWhole, shown.content != nil, shown.presence != .whole { try fetch(item.item) }
            if item.pin != .inherited { try change(item.item) { $0.pin = item.pin } }
        }
    }

    // MARK: Which

    /// The batch on its way is refused if this one changes a package before it does: its changes are then still to be sent.
    private func withdrawRefused(behind batch: ChangeBatch) throws {
        guard !batch.packages.isEmpty, let waiting = try transaction.pending.batch(of: container) else { return }
        let ours = Set(try ChangeBatch(decoding: waiting.payload).packages.map(\.package))
        guard batch.packages.contains(where: { ours.contains($0.package) }) else { return }
        try transaction.withdrawBatch(of: container)
    }

    /// The packages in which it changes what files there are or what is in them, as the log has them: what was moved into one here, and not sent,
    /// is not in it on the device that changed it. What is a package only to some is a folder like any other.
    private func packages(changedBy change: Change) throws -> [ItemID] {
        try tree.folders(changedBy: change).compactMap { try outermost(around: $0) }
    }

    private var tree: RemoteTree { transaction.remote(in: container) }

    /// The outermost package of the log that a folder is or lies in.
    private func outermost(around folder: ItemID) throws -> ItemID? { try tree.packages(around: folder).last?.id }

    private func remote(_ id: ItemID) throws -> CloudItem? { try tree.item(try tree.alias(of: id) ?? id) }

    /// Those of which a batch is on its way that will not be refused, and those that a program holds under a claim.
    private func packagesBeingTold() throws -> Set<NodeID> {
        var busy = Set(try held.compactMap { try transaction.local.package(around: $0) })
        guard let waiting = try transaction.pending.batch(of: container) else { return busy }
        for change in try ChangeBatch(decoding: waiting.payload).changes {
            busy.formUnion(
                try packages(changedBy: change).compactMap { try transaction.local.node(of: $0, in: container) })
        }
        return busy
    }

    /// Whether another device would see other files in it, or other bytes.
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

    /// Whether the log waits for the bytes of something in it: who announced it under one id can not bring them under another.
    private func hasAnnouncements(_ package: LocalItem) throws -> Bool {
        var found = false
        try transaction.local.forEach(below: package) { item in
            guard !found, item.kind == .file, let content = try remote(item.item)?.body.content else { return }
            found = content.reference == nil && content.size > 0
        }
        return found
    }

    // MARK: How

    private mutating func setAside(_ package: LocalItem, _ deviceName: String) throws -> [SetAside] {
        var rows: [LocalItem] = []
        try transaction.local.forEach(below: package) { if $0.conflict == nil { rows.append($0) } }
        var gone: [SetAside] = []
        for row in rows {
            if row.kind == .folder {
                // What was moved in and then deleted is deleted where the log has it.
                for departure in try transaction.pending.unsentDepartures(below: row.node)
                where try isInLog(transaction.trees(of: departure.item, in: container), package) {
                    try transaction.pending.removeDeparture(of: departure.item, in: container)
                    gone.append(try release(departure.item))
                }
            }
            let trees = try transaction.trees(of: row.item, in: container)
            // What the log never had of it has no other place to be, and what it has elsewhere was moved here, and goes with the copy.
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

    private func isInLog(_ trees: ItemTrees, _ package: LocalItem) throws -> Bool {
        guard let parent = (trees.remote ?? trees.synced)?.parent else { return false }
        return try outermost(around: parent) == package.item
    }

    /// To be shown again, as if it had never been here.
    private func release(
        _ id: ItemID, wasWhole: Bool = false, pin: PinState = .inherited
    ) throws -> SetAside {
        try transaction.synced.setAbsent(id, in: container)
        return SetAside(item: id, wasWhole: wasWhole, pin: pin)
    }

    /// The row, with its bytes and open handles, becomes something new that the log is to learn of.
    private mutating func standAside(_ row: LocalItem, as conflict: PackageConflict?) throws {
        var copy = row
        copy.item = newID()
        copy.isKnown = false
        copy.wanted = 0
        if let conflict { copy.packageConflict = conflict }
        // The last close notes what is written; what is only open for writing would not be noted.
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
    /// Whether it changes which files there are, or what is in one.
    fileprivate var isOfContents: Bool {
        switch self {
        case .create, .edit, .move, .delete: true
        case .setAttributes, .resolve, .setValue, .raiseRules: false
        }
    }
}
