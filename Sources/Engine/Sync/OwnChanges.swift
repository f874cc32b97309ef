package import CloudModel
package import ContainerLog
package import LocalMetadata

/// Updates the agreed state once the log shows a batch of this device: both sides agree on the changes as sent,
/// regardless of the rules' result. The result is then followed like any other change.
package struct OwnChanges {
    let transaction: MetadataTransaction
    let container: ContainerID
    /// Folders with freed names.
    private(set) var left: Set<ItemID> = []
    /// Items turned into aliases by the batch itself. The device still shows them as they were when the batch was
    /// built.
    private let merged: Set<ItemID>

    package init(_ transaction: MetadataTransaction, container: ContainerID, merged: Set<ItemID> = []) {
        self.transaction = transaction
        self.container = container
        self.merged = merged
    }

    /// Records a change as agreed; returns the item to follow.
    package mutating func confirm(_ change: Change) throws -> ItemID? {
        switch change {
        case .create(let id, let parent, let name, let attributes, let body):
            return try confirm(id) { item in
                item.parent = try resolved(parent)
                item.name = name
                item.attributes = attributes
                item.body = body
            }
        case .edit(let id, _, let content, let modified):
            return try confirm(id) { item in
                item.body = .file(content)
                item.attributes.modified = modified
            }
        case .move(let id, let parent, let name):
            if let before = try transaction.synced.item(id, in: container) { left.insert(before.parent) }
            return try confirm(id) { item in
                item.parent = try resolved(parent)
                item.name = name
            }
        case .setAttributes(let id, let changes): return try confirm(id) { $0.attributes.apply(changes) }
        case .delete(let id, _): return try confirmDeletion(of: id)
        case .resolve(let id, let versions):
            for version in versions {
                try transaction.pending.removeResolution(Resolution(container: container, item: id, version: version))
            }
            let id = try resolved(id)
            if let document = try transaction.remote(in: container).item(id) {
                left.insert(document.parent)
            }
            return id
        case .setValue(let key, _, let time):
            try transaction.keyValues.confirm(key, in: container, time: time)
            return nil
        case .collection, .raiseRules: return nil
        }
    }

    private mutating func confirmDeletion(of named: ItemID) throws -> ItemID {
        let id = try resolved(named)
        if let gone = try transaction.remote(in: container).item(id) { left.insert(gone.parent) }
        // It was deleted locally under either id: the alias may be newer.
        let wasDeparted = try endDeparture(of: id)
        if id != named {
            _ = try endDeparture(of: named)
            try transaction.synced.setAbsent(named, in: container)
        }
        // A row without a sent departure took over this id after the deletion, and its edits are based on its agreed
        // state.
        let isInUse =
            try transaction.local.item(id, in: container) != nil
            || transaction.pending.departure(of: id, in: container) != nil
        if wasDeparted || !isInUse { try transaction.synced.setAbsent(id, in: container) }
        return id
    }

    /// Removes a sent deletion. Returns whether there was one.
    private func endDeparture(of id: ItemID) throws -> Bool {
        guard let departure = try transaction.pending.departure(of: id, in: container), departure.isSent else {
            return false
        }
        try transaction.pending.removeDeparture(of: id, in: container)
        return true
    }

    private func confirm(_ named: ItemID, _ update: (inout CloudItem) throws -> Void) throws -> ItemID {
        let id = try resolved(named)
        let remote = try transaction.remote(in: container).item(id)
        guard let before = try transaction.synced.item(id, in: container) ?? remote else { return id }
        var item = before
        try update(&item)
        item.isDeleted = false
        if let remote, remote.digest == item.digest { item.version = remote.version }
        if id != named { try keepWhatIsShown(&item, before, sentAs: named) }
        try transaction.synced.set(item, in: container)
        return id
    }

    /// Handles an item named by this change that became a different item. The device may show that item in the state it
    /// sent, or in an earlier, unsent state, which would look like a later change. Only in the row that the change came
    /// from is any third content known to be a later write.
    private func keepWhatIsShown(_ item: inout CloudItem, _ before: CloudItem, sentAs named: ItemID) throws {
        guard let row = try transaction.local.item(item.id, in: container), let shown = try transaction.state(row)
        else {
            item = before
            return
        }
        if (shown.parent, shown.name) != (item.parent, item.name) {
            (item.parent, item.name) = (before.parent, before.name)
        }
        let isSuccessor = try transaction.pending.successor(of: named, in: container) == row.node
        if !shown.hasContent(of: item), !isSuccessor || shown.hasContent(of: before) {
            item.body = before.body
            item.attributes.modified = before.attributes.modified
        }
        if shown.attributes.permissions != item.attributes.permissions {
            item.attributes.permissions = before.attributes.permissions
        }
        if shown.attributes.extended != item.attributes.extended {
            item.attributes.extended = before.attributes.extended
        }
    }

    /// Returns the item represented by this id before the batch was folded.
    private func resolved(_ id: ItemID) throws -> ItemID {
        let tree = transaction.remote(in: container)
        var current = id
        for _ in 0..<64 where !merged.contains(current) {
            guard let target = try tree.alias(of: current) else { return current }
            current = target
        }
        return current
    }
}

extension ItemAttributes {
    mutating func apply(_ changes: AttributeChanges) {
        if let permissions = changes.permissions { self.permissions = permissions }
        if let modified = changes.modified { self.modified = modified }
        for (key, value) in changes.extended { extended[key] = value }
    }
}
