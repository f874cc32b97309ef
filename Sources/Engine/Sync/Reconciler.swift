package import CloudModel
package import ContainerLog

/// Decides the actions for an item given its remote, synced and local states. Pure: never reads a clock, a file or the
/// network.
///
/// Where only one side changed, the other follows; where both changed the same thing, this device sends the log its
/// change and the base of that change, and the log's rules decide. Place, attributes and content are reconciled
/// separately.
package struct Reconciler: Sendable {
    package init() {}

    package func plan(_ trees: ItemTrees) -> ItemPlan {
        switch (trees.remote, trees.local) {
        case (let remote?, let local?): return bothPresent(remote, trees.synced ?? adopted(remote, local), local)
        case (let remote?, nil): return onlyRemote(remote, trees)
        case (nil, let local?): return onlyLocal(local, trees)
        case (nil, nil): return onNeitherSide(trees)
        }
    }

    // MARK: Missing on a side

    private func onNeitherSide(_ trees: ItemTrees) -> ItemPlan {
        guard trees.isDeparted else { return ItemPlan(agreed: nil) }
        // The batch may contain an edit that would undo the later local deletion.
        guard !trees.isBeingSent else { return ItemPlan(agreed: trees.synced) }
        guard let synced = trees.synced, let digest = synced.digest, !trees.isShownAsVersion else {
            return ItemPlan(follow: [.forgetDeparture], agreed: nil)
        }
        // Both sides deleted it, perhaps with different contents: in the log this content may still exist as a separate item.
        return ItemPlan(agreed: synced, changes: [.delete(synced.id, base: digest)])
    }

    private func onlyRemote(_ remote: CloudItem, _ trees: ItemTrees) -> ItemPlan {
        guard trees.isDeparted else { return ItemPlan(follow: [.insert(remote)], agreed: remote) }
        guard !trees.isBeingSent else { return ItemPlan(agreed: trees.synced) }
        // The deleted item was edited remotely: the edit wins. The deleted content may still exist as a conflict
        // version, or as a separate item found by the log. A version that is still shown was not deleted: only its
        // document was, while it showed the same content, because the newer one had not been downloaded.
        guard let synced = trees.synced, synced.digest != nil || remote.holds(synced.digest), !trees.isShownAsVersion,
            !remote.isRepeated(since: synced)
        else {
            return ItemPlan(follow: [.forgetDeparture, .insert(remote)], agreed: remote)
        }
        var agreed = remote
        agreed.body = synced.body
        return ItemPlan(agreed: agreed, changes: [.delete(remote.id, base: synced.digest)])
    }

    private func onlyLocal(_ local: LocalState, _ trees: ItemTrees) -> ItemPlan {
        guard let synced = trees.synced else { return creation(of: local) }
        // Deleted remotely. Local-only children stay, and so the folder is restored for all devices.
        if local.kind == .folder, local.hasChildren {
            return ItemPlan(follow: [.keepFolder], agreed: nil, changes: creation(of: local).changes)
        }
        // The batch being sent may bring it back in the log with a content different from the shown one, even if the
        // shown one is agreed.
        if local.isBeingWritten || trees.isBeingSent { return ItemPlan(agreed: synced, isPostponed: true) }
        guard local.kind == .file, !local.hasContent(of: synced) else {
            return ItemPlan(follow: [.remove], agreed: nil)
        }
        var plan = ItemPlan(agreed: synced)
        tellContent(local, synced, &plan)
        return plan
    }

    private func creation(of local: LocalState) -> ItemPlan {
        var plan = ItemPlan(agreed: nil)
        let create = { (body: ItemBody) -> Change in
            .create(local.id, parent: local.parent, name: local.name, attributes: local.attributes, body: body)
        }
        if let body = local.body {
            plan.changes = [create(body)]
        } else {
            plan.needsUpload = true
            plan.announcement = create(.file(.announced(size: local.size)))
        }
        return plan
    }

    /// Both sides have the item without an agreed state (folders with well-known ids, merged folders, a conflict
    /// version that became an item): the local place and content count as agreed. A content waiting to be sent, as of
    /// an item restored on two devices, has no base: its author has not seen the log's content.
    private func adopted(_ remote: CloudItem, _ local: LocalState) -> CloudItem {
        var agreed = remote
        agreed.parent = local.parent
        agreed.name = local.name
        if local.kind == .file, local.isEdited || local.isPending {
            agreed.body = .file(.announced(size: local.size))
        } else if let body = local.body {
            agreed.body = body
        }
        return agreed
    }

    // MARK: On both sides

    private func bothPresent(_ remote: CloudItem, _ synced: CloudItem, _ local: LocalState) -> ItemPlan {
        // Conflicts and authorship have no local side: the log's values are agreed immediately.
        var plan = ItemPlan(agreed: remote)
        place(remote, synced, local, &plan)
        let followsContent = content(remote, synced, local, &plan)
        attributes(remote, synced, local, followsContent: followsContent, &plan)
        return plan
    }

    private func place(_ remote: CloudItem, _ synced: CloudItem, _ local: LocalState, _ plan: inout ItemPlan) {
        let isLocallyMoved = (local.parent, local.name) != (synced.parent, synced.name)
        if isLocallyMoved {
            guard (local.parent, local.name) != (remote.parent, remote.name) else { return }
            plan.changes.append(.move(local.id, parent: local.parent, name: local.name))
            plan.agreed?.parent = synced.parent
            plan.agreed?.name = synced.name
        } else if (remote.parent, remote.name) != (local.parent, local.name) {
            plan.follow.append(.place(parent: remote.parent, name: remote.name))
        }
    }

    /// Returns whether this plan results in the log's content, so that the log's modification time may be shown too.
    private func content(
        _ remote: CloudItem, _ synced: CloudItem, _ local: LocalState, _ plan: inout ItemPlan
    ) -> Bool {
        guard local.kind == .file, let new = remote.body.content else { return true }
        guard local.hasContent(of: synced) else {
            // Contents equal by chance need no change, unless the locally replaced content is still a conflict version.
            let isConflict = remote.conflicts.contains { $0.content.reference == synced.body.content?.reference }
            if !local.isEdited, local.content == new.reference, !isConflict { return true }
            plan.agreed?.body = synced.body
            tellContent(local, synced, &plan)
            plan.announcement = correction(remote, synced, local) ?? announcement(remote, synced, local)
            return false
        }
        guard new.reference != local.content || (new.reference == nil && new.size != local.size) else { return true }
        if local.isBeingWritten {
            plan.agreed?.body = synced.body
            return false
        }
        guard local.isMaterialised, !local.evictsOnUpdate else {
            plan.follow.append(.replaceContent(new))
            return true
        }
        plan.agreed?.body = synced.body
        if let reference = new.reference { plan.follow.append(.fetch(reference)) }
        return false
    }

    /// Corrects an announced size after a change.
    private func correction(_ remote: CloudItem, _ synced: CloudItem, _ local: LocalState) -> Change? {
        guard local.isEdited, remote.isAnnounced, synced.isAnnounced, synced.body.content?.size != local.size else {
            return nil
        }
        return .edit(
            local.id, base: nil, content: .announced(size: local.size), modified: local.attributes.modified)
    }

    /// Announces an edit of the log's current content, once per content. An item whose attributes leave no room for it
    /// is not announced: the log would leave it out, each time.
    private func announcement(_ remote: CloudItem, _ synced: CloudItem, _ local: LocalState) -> Change? {
        let key = ReservedAttribute.announcedEdit
        guard local.isEdited, let replaced = synced.digest, replaced == remote.digest,
            remote.attributes.extended[key] != replaced.bytes,
            remote.attributes.extendedBytes + key.utf8.count + replaced.bytes.count
                <= ItemAttributes.maximumExtendedBytes
        else { return nil }
        return .setAttributes(local.id, AttributeChanges(extended: [key: replaced.bytes]))
    }

    private func tellContent(_ local: LocalState, _ synced: CloudItem, _ plan: inout ItemPlan) {
        guard let content = local.body?.content else {
            plan.needsUpload = true
            return
        }
        plan.changes.append(
            .edit(local.id, base: synced.digest, content: content, modified: local.attributes.modified))
    }

    private func attributes(
        _ remote: CloudItem, _ synced: CloudItem, _ local: LocalState, followsContent: Bool, _ plan: inout ItemPlan
    ) {
        var shown = local.attributes
        var agreed = remote.attributes
        var changes = AttributeChanges()
        let new = remote.attributes
        let base = synced.attributes
        merge(new.permissions, base.permissions, &shown.permissions, &agreed.permissions) { changes.permissions = $0 }
        if followsContent {
            merge(new.modified, base.modified, &shown.modified, &agreed.modified) { changes.modified = $0 }
        } else {
            // The modification time belongs to the content, which is reconciled separately: an edit carries it.
            agreed.modified = base.modified
        }
        for key in Set(new.extended.keys).union(base.extended.keys).union(shown.extended.keys) {
            merge(new.extended[key], base.extended[key], &shown.extended[key], &agreed.extended[key]) {
                changes.extended.updateValue($0, forKey: key)
            }
        }
        if shown != local.attributes { plan.follow.append(.setAttributes(shown)) }
        if !changes.isEmpty { plan.changes.append(.setAttributes(local.id, changes)) }
        plan.agreed?.attributes = agreed
    }

    /// Merges a field of the three states.
    private func merge<T: Equatable>(
        _ remote: T, _ synced: T, _ local: inout T, _ agreed: inout T, note: (T) -> Void
    ) {
        if local == synced {
            local = remote
        } else if local != remote {
            agreed = synced
            note(local)
        }
    }
}

extension CloudItem {
    /// The digest of the current content; nil for folders, links and announcements.
    package var digest: Digest? { body.content?.reference?.digest }

    /// Whether this is a file of which only the size is known so far.
    var isAnnounced: Bool { body.content.map { $0.reference == nil } ?? false }

    /// Whether a newer change created or restored this item, or wrote the same content again: a deletion of the earlier
    /// content has not seen it.
    func isRepeated(since agreed: CloudItem) -> Bool { version != agreed.version && digest == agreed.digest }

    /// Returns whether this is the digest of the current content or of a conflict version.
    func holds(_ digest: Digest?) -> Bool {
        self.digest == digest || conflicts.contains { $0.content.reference?.digest == digest }
    }
}
