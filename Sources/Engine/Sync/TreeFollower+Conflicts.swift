import CloudModel
import ContainerLog
import LocalMetadata

/// Shows conflict versions as read-only siblings of their document.
extension TreeFollower {
    /// Shows a document's unresolved versions, and only those, under the same names on every device.
    mutating func followConflicts(of remote: CloudItem) throws {
        var shown = try transaction.local.siblings(of: remote.id, in: container)
        guard !remote.conflicts.isEmpty || !shown.isEmpty else { return }
        let resolved = Set(try transaction.pending.resolutions(of: remote.id, in: container).map(\.version))
        let open = remote.conflicts.filter { !resolved.contains($0.version) }
        for sibling in shown where !open.contains(where: { $0.version == sibling.conflict?.version }) {
            try drop(sibling)
        }
        guard let document = try transaction.local.item(remote.id, in: container) else { return }
        let order = Dictionary(open.enumerated().map { ($1.version, $0) }) { first, _ in first }
        for (index, conflict) in open.enumerated() {
            let sibling = shown.first { $0.conflict?.version == conflict.version }
            // Devices may have met the versions in different orders.
            let givesWay = { (other: LocalItem) in
                other.conflict.map { $0.document == document.item && order[$0.version, default: 0] > index } ?? false
            }
            guard let holder = try show(conflict, of: document, remote, as: sibling, givesWay: givesWay) else {
                continue
            }
            try giveWay(holder)
            shown = try transaction.local.siblings(of: remote.id, in: container)
            try show(conflict, of: document, remote, as: sibling, givesWay: givesWay)
        }
    }

    /// Updates the siblings of a deleted document: each version became an item, or had been resolved before.
    mutating func followOrphans(of document: ItemID) throws {
        for sibling in try transaction.local.siblings(of: document, in: container) { try follow(sibling.item) }
    }

    /// - Parameter givesWay: Whether the item with the name is a later version, which yields it.
    /// - Returns: The item that has to leave its name first; nothing has changed then.
    @discardableResult
    private mutating func show(
        _ conflict: ConflictVersion, of document: LocalItem, _ remote: CloudItem, as sibling: LocalItem?,
        givesWay: (LocalItem) -> Bool
    ) throws -> LocalItem? {
        var holder: LocalItem?
        let name = try SiblingName.name(of: document.name, for: conflict) { candidate in
            guard let taken = try transaction.local.item(named: candidate, in: document.parent) else { return false }
            guard givesWay(taken) else { return taken.node != sibling?.node }
            holder = taken
            return false
        }
        if let holder { return holder }
        var shown = try sibling ?? view(of: conflict, document: document, name: name)
        shown.name = name
        shown.parent = document.parent
        // The log's permissions, not those of the local document, so that all devices show the same.
        shown.attributes.permissions = remote.attributes.permissions & ~0o222
        guard shown != sibling else { return nil }
        if let sibling {
            enter(sibling.parent, sibling.name)
            freed.insert(sibling.parent)
            effects.changedNodes.insert(sibling.node)
            if sibling.parent != shown.parent || sibling.name != shown.name { effects.noteMove(of: sibling) }
            try transaction.local.update(shown)
        } else {
            shown.wanted = try priority(ofVersionOf: document)
            if shown.wanted > 0 { effects.wantsDownloads = true }
            effects.created.insert(try transaction.local.insert(shown))
        }
        enter(document.parent, name)
        effects.changedNodes.insert(document.node)
        return nil
    }

    /// Returns the priority of a version. If the document is on this device, its versions are downloaded for comparing
    /// them offline.
    private mutating func priority(ofVersionOf document: LocalItem) throws -> UInt8 {
        let inherited = try priority(ofNewFileIn: document.parent)
        let own = try document.pin == .inherited ? inherited : transaction.local.priority(ofNewFileIn: document.node)
        return document.isMaterialised ? max(own, DownloadPriority.kept) : own
    }

    private func view(of conflict: ConflictVersion, document: LocalItem, name: ItemName) throws -> LocalItem {
        var attributes = document.attributes
        attributes.modified = conflict.modified
        var item = LocalItem(
            container: container, item: DerivedIDs.stableHash.heir(of: document.item, conflict.version),
            parent: document.parent, name: name, kind: .file, attributes: attributes, changed: now)
        item.conflict = LocalItem.ConflictPlace(document: document.item, version: conflict.version)
        setPlaceholder(conflict.content, &item)
        return item
    }

    /// Gives siblings freed names, because the order of their appearance differs between devices.
    mutating func nameSiblings() throws {
        // The loop terminates, because each new name is an earlier one.
        while let folder = freed.popFirst() {
            for sibling in try transaction.local.siblings(in: folder) {
                guard let document = sibling.conflict?.document,
                    let remote = try transaction.remote(document, in: container)
                else { continue }
                try followConflicts(of: remote)
            }
        }
    }

    /// Handles a sibling with a deleted document: it is an item of the log under its unchanged id.
    mutating func followSibling(_ sibling: LocalItem) throws {
        guard let conflict = sibling.conflict else { return }
        let document = try transaction.remote(conflict.document, in: container)
        if document?.conflicts.contains(where: { $0.version == conflict.version }) != true { try drop(sibling) }
    }
}
