package import Basics
package import CloudModel
import ContainerLog
import LocalContent
package import LocalMetadata
package import Logging

/// Updates the shown tree to match the folded log, item by item, inside a single transaction.
///
/// Concept: an item has three states: the log's (*remote*), the last agreed state (*synced*) and the state shown on
/// this device (*local*). ``Reconciler`` compares them and returns a plan; this type carries out the device's part of
/// it: rows, names, placeholders, siblings of conflicts. Effects outside the database are gathered in ``effects`` and
/// performed after the commit.
///
/// Invariants:
/// - ``follow(_:)`` may be repeated: a second call changes nothing.
/// - An edit, or a file being written, is never replaced or removed; at most it is renamed or becomes a separate item.
/// - An item that could not be shown because its place is taken is not agreed on, and stays unsettled until a later
///   call.
/// - An open file keeps its bytes: it gets a new node, and open handles continue to read.
///
/// It must not touch blobs, the kernel or the network, wait for a program, or change the log's state (*remote*).
package struct TreeFollower {
    let transaction: MetadataTransaction
    let container: ContainerID
    let isOpen: (NodeID) -> Bool
    /// Items read or written under a claim: their contents stay unchanged until the claim ends.
    let held: Set<NodeID>
    let now: Timestamp
    let newID: () -> ItemID
    let log: Logger
    package var effects = TreeEffects()
    /// Folders with freed names that siblings may have wanted.
    var freed: Set<NodeID> = []
    /// Names of moved or removed items, possibly awaited by other items of the log.
    var vacated: Set<TreeEffects.Entry> = []
    /// Items being followed further up the call stack: swapped names would recurse forever.
    private var underway: Set<ItemID> = []
    private var priorities: [NodeID: UInt8] = [:]
    private let reconciler = Reconciler()

    package init(
        _ transaction: MetadataTransaction, container: ContainerID, now: Timestamp, newID: @escaping () -> ItemID,
        held: Set<NodeID> = [], log: Logger, isOpen: @escaping (NodeID) -> Bool
    ) {
        self.transaction = transaction
        self.container = container
        self.now = now
        self.newID = newID
        self.held = held
        self.log = log
        self.isOpen = isOpen
    }

    /// Plans the item and carries out the device's part. Idempotent.
    package mutating func follow(_ id: ItemID) throws {
        guard underway.insert(id).inserted else { return }
        defer { underway.remove(id) }
        try separateExcluded(id)
        var trees = try transaction.treesPromotingSibling(of: id, in: container)
        if !held.isEmpty, trees.remote != nil, let node = try transaction.local.node(of: id, in: container),
            held.contains(node)
        {
            trees.local?.isBeingWritten = true
        }
        // No program may see files of a package's old version beside files of its new version: files without local
        // bytes become placeholders.
        let isInPackage = try isNewContent(trees) && isInPackage(id)
        if isInPackage { trees.local?.evictsOnUpdate = true }
        if trees.remote == nil, trees.local == nil, let sibling = try transaction.local.item(id, in: container) {
            return try followSibling(sibling)
        }
        if trees.remote == nil, let agreed = trees.synced, trees.local?.kind == .folder,
            trees.local?.hasChildren == true
        {
            // As long as items are on their way out of it, it stays and is unsettled.
            guard try !followContent(ofDeleted: id) else { return try transaction.synced.set(agreed, in: container) }
            trees = try transaction.trees(of: id, in: container)
        }
        var plan = reconciler.plan(trees)
        note(plan, id, trees)
        for action in plan.follow where try !perform(action, id) {
            log.debug("its place is taken by an item that the log does not have yet", metadata: ["item": "\(id)"])
            // The place is taken by an item unknown to the log. The agreed state stays until the log has it.
            plan.agreed = keepPlace(in: plan.agreed, trees)
        }
        // It was on this device, so it is downloaded again.
        if isInPackage { try fetch(id) }
        try agree(on: plan.agreed, id, trees)
        // An item shown for the first time equals the log's.
        if trees.local != nil || !plan.changes.isEmpty || plan.needsUpload {
            try markPending(id, plan, isInLog: trees.remote != nil)
        }
        if let remote = trees.remote { try followConflicts(of: remote) } else { try followOrphans(of: id) }
    }

    private func note(_ plan: ItemPlan, _ id: ItemID, _ trees: ItemTrees) {
        guard log.logLevel <= .debug, !(plan.follow.isEmpty && plan.changes.isEmpty && !plan.needsUpload) else {
            return
        }
        let name = (trees.local?.name ?? trees.remote?.name).map { "\($0)" } ?? ""
        log.debug(
            "decided",
            metadata: [
                "document": "\(name)", "item": "\(id)",
                "here": "\(plan.follow.map(\.name).joined(separator: " "))",
                "sent": "\(plan.changes.map(\.kindName).joined(separator: " "))\(plan.needsUpload ? " upload" : "")",
                "in the log": "\(trees.remote == nil ? "no" : "yes")", "shown": "\(trees.local == nil ? "no" : "yes")",
                "edited": "\(trees.local?.isEdited == true)", "being written": "\(trees.local?.isBeingWritten == true)",
            ])
    }

    /// Gives a new id to a local-only, never sent item whose id is now in the log: a copy of this device's state sent
    /// it.
    private func separateExcluded(_ id: ItemID) throws {
        guard var row = try transaction.local.item(id, in: container), row.isExcluded, !row.isKnown,
            row.conflict == nil, try transaction.remote(id, in: container) != nil
        else { return }
        row.item = newID()
        try transaction.local.update(row)
    }

    /// Returns whether all local bytes belong to a content other than the log's, and all of them are in the cloud.
    private func isNewContent(_ trees: ItemTrees) -> Bool {
        guard let local = trees.local, local.isMaterialised, !local.isEdited, !local.isBeingWritten,
            let new = trees.remote?.body.content?.reference
        else { return false }
        return new != local.content && trees.synced.map { local.hasContent(of: $0) } ?? false
    }

    private func isInPackage(_ id: ItemID) throws -> Bool {
        guard let node = try transaction.local.node(of: id, in: container) else { return false }
        return try transaction.local.package(around: node) != nil
    }

    private func keepPlace(in agreed: CloudItem?, _ trees: ItemTrees) -> CloudItem? {
        // An item that could not be shown is not agreed on either, regardless of its state before its deletion.
        guard let local = trees.local, var agreed else { return nil }
        // An item shown without an agreed state (a conflict version that became an item) keeps its shown place.
        agreed.parent = trees.synced?.parent ?? local.parent
        agreed.name = trees.synced?.name ?? local.name
        return agreed
    }

    private func agree(on agreed: CloudItem?, _ id: ItemID, _ trees: ItemTrees) throws {
        if agreed == trees.remote {
            try transaction.synced.settle(id, in: container)
        } else if let agreed {
            try transaction.synced.set(agreed, in: container)
        } else {
            try transaction.synced.setAbsent(id, in: container)
        }
    }

    /// Updates whether an item is pending, that is, whether the cloud lacks a change of it: this follows from its
    /// trees, not from records of its changes.
    private func markPending(_ id: ItemID, _ plan: ItemPlan, isInLog: Bool) throws {
        guard let old = try transaction.local.item(id, in: container), old.conflict == nil, !old.isExcluded else {
            return
        }
        var item = old
        // A new item may be in the log before its creation was sent: a different device can restore a folder kept on
        // this device.
        if isInLog { item.isKnown = true }
        if !plan.changes.isEmpty || plan.needsUpload {
            // An edit being written is marked at its last close; an edit uploaded since may have no mark.
            if item.pendingSince == nil, !item.isWriting || !item.isEdited { item.pendingSince = now }
        } else if plan.agreed != nil, !plan.isPostponed {
            item.pendingSince = nil
            item.isKnown = true
        }
        if item != old { try transaction.local.update(item) }
    }

    /// Performs an action. Returns false if the place is not free yet.
    private mutating func perform(_ action: FollowAction, _ id: ItemID) throws -> Bool {
        switch action {
        case .insert(let remote): return try insert(remote)
        case .place(let parent, let name): return try place(id, parent, name)
        case .setAttributes(let attributes): try change(id) { $0.attributes = attributes }
        case .replaceContent(let content): try replaceContent(id, content)
        case .fetch: try fetch(id)
        case .remove: try remove(id)
        case .keepFolder: try keepFolder(id)
        case .forgetDeparture: try transaction.pending.removeDeparture(of: id, in: container)
        }
        return true
    }

    private mutating func insert(_ remote: CloudItem) throws -> Bool {
        guard let parent = try parentNode(of: remote) else { return false }
        guard try makeRoom(for: remote, named: remote.name, in: parent) else { return false }
        // A folder of that name may just have taken this id.
        if try transaction.local.node(of: remote.id, in: container) != nil { return true }
        var item = LocalItem(
            container: container, item: remote.id, parent: parent, name: remote.name,
            kind: LocalKind(rawValue: remote.body.kind.rawValue) ?? .file, attributes: remote.attributes, changed: now)
        item.isKnown = true
        if case .symlink(let target) = remote.body { item.target = target }
        if let content = remote.body.content { setPlaceholder(content, &item) }
        if item.kind == .file { item.wanted = try priority(ofNewFileIn: parent) }
        item.wantIgnoreFile()
        effects.created.insert(try transaction.local.insert(item))
        if item.wanted > 0 { effects.wantsDownloads = true }
        enter(parent, remote.name)
        return true
    }

    /// Returns the download priority of new files in a folder. No pin changes while the log is followed, so each folder is looked up once.
    mutating func priority(ofNewFileIn folder: NodeID) throws -> UInt8 {
        if let known = priorities[folder] { return known }
        let priority = try transaction.local.priority(ofNewFileIn: folder)
        priorities[folder] = priority
        return priority
    }

    private mutating func parentNode(of remote: CloudItem) throws -> NodeID? {
        if let parent = try transaction.local.node(of: remote.parent, in: container) { return parent }
        try follow(remote.parent)
        return try transaction.local.node(of: remote.parent, in: container)
    }

    func setPlaceholder(_ content: FileContent, _ item: inout LocalItem) {
        item.size = content.size
        item.content = content.reference
        item.presence = content.size == 0 ? .whole : .none
        item.ranges = []
        item.isEdited = false
        item.downloadError = nil
        if item.size == 0 { item.generation += 1 }
    }

    private mutating func place(_ id: ItemID, _ parent: ItemID, _ name: ItemName) throws -> Bool {
        guard let item = try transaction.local.item(id, in: container),
            let remote = try transaction.remote(id, in: container)
        else { return true }
        guard let folder = try parentNode(of: remote) else { return false }
        guard try makeRoom(for: remote, named: name, in: folder) else { return false }
        guard try !transaction.local.isInside(folder, item.node) else { return false }
        if var row = try transaction.local.item(id, in: container) {
            effects.noteMove(of: row)
            (row.parent, row.name, row.changed) = (folder, name, now)
            if row.wantIgnoreFile() { effects.wantsDownloads = true }
            try transaction.local.update(row)
        }
        freed.insert(item.parent)
        vacated.insert(TreeEffects.Entry(parent: item.parent, name: item.name))
        enter(item.parent, item.name)
        enter(folder, name)
        return true
    }

    mutating func change(_ id: ItemID, _ body: (inout LocalItem) -> Void) throws {
        guard var item = try transaction.local.item(id, in: container) else { return }
        body(&item)
        item.changed = now
        try transaction.local.update(item)
        effects.changedNodes.insert(item.node)
    }

    private mutating func remove(_ id: ItemID) throws {
        guard let item = try transaction.local.item(id, in: container) else { return }
        try drop(item)
    }

    mutating func drop(_ item: LocalItem) throws {
        try transaction.local.remove(item.node)
        freed.insert(item.parent)
        vacated.insert(TreeEffects.Entry(parent: item.parent, name: item.name))
        enter(item.parent, item.name)
        effects.removed.append(item)
        if item.kind == .file, item.presence != .none, !isOpen(item.node) { effects.orphanedBlobs.append(item.blob) }
    }

    private mutating func keepFolder(_ id: ItemID) throws {
        let now = now
        try change(id) { row in
            row.isKnown = false
            row.pendingSince = now
        }
    }

    mutating func enter(_ parent: NodeID, _ name: ItemName) {
        effects.changedEntries.insert(TreeEffects.Entry(parent: parent, name: name))
        effects.changedNodes.insert(parent)
    }
}
