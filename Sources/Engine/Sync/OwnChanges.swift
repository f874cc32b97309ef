package import CloudModel
package import ContainerLog
package import LocalMetadata

/// Updates the agreed state once the log shows a batch of this device: both sides agree on what was sent, whatever the rules made of it.
/// The rules' result is then followed like any other change.
package struct OwnChanges {
    let transaction: MetadataTransaction
    let container: ContainerID
    /// Folders in which a name became free.
    private(set) var left: Set<ItemID> = []
    /// Items that the batch itself made aliases. The device still shows them as they were when it made the batch.
    private let merged: Set<ItemID>

    package init(_ transaction: MetadataTransaction, container: ContainerID, merged: Set<ItemID> = []) {
        self.transaction = transaction
        self.container = container
        self.merged = merged
    }

    /// Records one change as agreed on; returns the item to follow.
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
        case .delete(let named, _):
            let id = try resolved(named)
            if let gone = try transaction.remote(in: container).item(id) { left.insert(gone.parent) }
            // It was deleted here under one of the two ids: an alias may have been made since.
            for gone in Set([named, id]) {
                guard let departure = try transaction.pending.departure(of: gone, in: container), departure.isSent
                else {
                    continue
                }
                try transaction.pending.removeDeparture(of: gone, in: container)
            }
            if id != named { try transaction.synced.setAbsent(named, in: container) }
            let isShown = try transaction.local.item(id, in: container) != nil
            if id == named || !isShown {
                try transaction.synced.setAbsent(id, in: container)
            }
            return id
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

    private func confirm(_ named: ItemID, _ update: (inout CloudItem) throws -> Void) throws -> ItemID {
        let id = try resolved(named)
        let remote = try transaction.remote(in: container).item(id)
        guard let before = try transaction.synced.item(id, in: container) ?? remote else { return id }
        var item = before
        try update(&item)
        item.isDeleted = false
        if id != named { try keepWhatIsShown(&item, before) }
        try transaction.synced.set(item, in: container)
        return id
    }

    /// Handles an item that this change names and that became another one. What this device shows as that one may be what it sent, or an
    /// earlier state that was never sent, which would look like a change made after it.
    private func keepWhatIsShown(_ item: inout CloudItem, _ before: CloudItem) throws {
        guard let shown = try transaction.local.item(item.id, in: container).flatMap(transaction.state) else {
            item = before
            return
        }
        if (shown.parent, shown.name) != (item.parent, item.name) {
            (item.parent, item.name) = (before.parent, before.name)
        }
        if !shown.hasContent(of: item) {
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

    /// Returns the item that this id stood for before the batch was folded.
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
