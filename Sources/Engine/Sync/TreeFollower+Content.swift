package import CloudModel
import ContainerLog
package import LocalContent
package import LocalMetadata

/// Updates a file's content to the log's.
extension TreeFollower {
    /// Changes the shown content to one without local bytes. Open handles keep the old content: the file gets a new
    /// node.
    mutating func replaceContent(_ id: ItemID, _ content: FileContent) throws {
        guard var item = try transaction.local.item(id, in: container) else { return }
        let old = item
        if isOpen(item.node) { item = try renumber(item) }
        setPlaceholder(content, &item)
        if item.wantIgnoreFile() { effects.wantsDownloads = true }
        item.generation = old.generation + 1
        if let time = try transaction.remote(id, in: container)?.attributes.modified { item.attributes.modified = time }
        item.changed = now
        try transaction.local.update(item)
        if old.presence != .none, item.node == old.node { effects.orphanedBlobs.append(old.blob) }
        effects.changedNodes.insert(old.node)
        enter(item.parent, item.name)
    }

    /// Gives the item a new node; handles of the old node continue to read the unnamed bytes.
    mutating func renumber(_ item: LocalItem) throws -> LocalItem {
        let node = try transaction.local.renumber(item.node)
        if let place = effects.moved.removeValue(forKey: item.node) { effects.moved[node] = place }
        effects.removed.append(item)
        enter(item.parent, item.name)
        var renumbered = item
        renumbered.node = node
        return renumbered
    }

    /// Requests the download of the new version. The old version stays until the download is complete.
    mutating func fetch(_ id: ItemID) throws {
        guard var item = try transaction.local.item(id, in: container) else { return }
        item.wanted = max(item.wanted, 50)
        try transaction.local.update(item)
        effects.wantsDownloads = true
    }

    /// Swaps in a newer version with all its bytes in `blob`. Does nothing if the file was edited or the log has
    /// changed since; an edit counts as such until the log has it, which is later than its upload. Returns the name
    /// that `blob` must get before the transaction ends; it differs if the file is open and so got a new node.
    package mutating func install(
        _ reference: ContentReference, blob: BlobName, replacing old: LocalItem
    ) throws -> BlobName? {
        guard var item = try transaction.local.item(old.node), item.generation == old.generation,
            !item.isWriting, let remote = try transaction.remote(item.item, in: container),
            remote.body.content?.reference == reference, try transaction.synced.showsAgreed(item)
        else { return nil }
        let previous = item
        if isOpen(item.node) { item = try renumber(item) }
        item.content = reference
        item.size = reference.size
        item.presence = .whole
        item.ranges = []
        item.generation = blob.generation
        item.attributes.modified = remote.attributes.modified
        item.wanted = 0
        item.downloadError = nil
        item.changed = now
        try transaction.local.update(item)
        if item.node == previous.node, previous.presence != .none { effects.orphanedBlobs.append(previous.blob) }
        effects.changedNodes.insert(previous.node)
        enter(item.parent, item.name)
        try agreeOnContent(of: remote)
        try follow(item.item)
        return item.blob
    }

    /// Replaces the shown content with an older content, all of which is in `blob`, as an edit with bytes already in
    /// the cloud. Does nothing if the file has changed since. Returns as ``install(_:blob:replacing:)``.
    mutating func restore(
        _ reference: ContentReference, blob: BlobName, replacing old: LocalItem
    ) throws -> BlobName? {
        guard var item = try transaction.local.item(old.node), item.generation == old.generation,
            item.content == old.content,
            !item.isWriting, !item.isEdited, item.pendingSince == nil
        else { return nil }
        let previous = item
        if isOpen(item.node) { item = try renumber(item) }
        item.content = reference
        item.size = reference.size
        item.presence = .whole
        item.ranges = []
        item.generation = blob.generation
        (item.attributes.modified, item.changed, item.pendingSince) = (now, now, now)
        (item.wanted, item.downloadError) = (0, nil)
        try transaction.local.update(item)
        if item.node == previous.node, previous.presence != .none { effects.orphanedBlobs.append(previous.blob) }
        effects.changedNodes.insert(previous.node)
        enter(item.parent, item.name)
        return item.blob
    }

    /// Discards the local edit of a file and shows the log's content. Returns false while a program writes it.
    mutating func dropEdits(of id: ItemID) throws -> Bool {
        guard let item = try transaction.local.item(id, in: container), !item.isWriting else { return false }
        guard let remote = try transaction.remote(id, in: container), let content = remote.body.content else {
            return true
        }
        if item.isEdited || item.content != content.reference {
            try replaceContent(id, content)
            if item.isMaterialised, content.reference != nil { try fetch(id) }
            if var row = try transaction.local.item(id, in: container) {
                row.withdrawAnnouncedEdit(at: now)
                try transaction.local.update(row)
            }
        }
        try agreeOnContent(of: remote)
        return true
    }

    /// Records that the shown content is the log's.
    private func agreeOnContent(of remote: CloudItem) throws {
        guard var agreed = try transaction.synced.item(remote.id, in: container) else { return }
        agreed.body = remote.body
        agreed.attributes.modified = remote.attributes.modified
        try transaction.synced.set(agreed, in: container)
    }
}
