import Basics
import CloudModel
import ContainerLog
import LocalMetadata
import Synchronization

/// Which file continues a document, and its inheritance from the name's previous document: identity and history, the
/// next edit's base, and a person's settings.
///
/// Every way of saving ends in ``succeed(_:_:from:_:at:)``, where a file replaces an existing one, in
/// ``takePlace(_:from:_:at:)``, where it takes a free name, or in ``exchange(_:_:_:at:)``. For the reasons see
/// docs/decisions/0087-a-document-is-its-name.md.
extension VirtualFileSystem {
    /// Returns whether an item may have been created to take the place of a document: the log does not have it, or has
    /// had it for at most a minute under an extension of the document's name, because a slow program was still saving.
    ///
    /// - Parameter name: The item's name until then.
    func isDraft(_ item: LocalItem, once name: ItemName, of document: ItemName, at now: Timestamp) -> Bool {
        guard !item.isConflictSibling else { return false }
        guard item.isKnown else { return true }
        return item.kind == .file && item.isMaterialised
            && item.attributes.created.adding(VacatedPlace.saveTime) >= now && SaveRules.isHelper(name, of: document)
    }

    /// Returns whether a draft takes over the identity of the replaced file.
    ///
    /// - Parameter old: The item at its place before.
    func isSave(_ item: LocalItem, from old: LocalItem, over target: LocalItem, at now: Timestamp) -> Bool {
        item.kind == .file && target.kind == .file && isDraft(item, once: old.name, of: target.name, at: now)
            && !item.isExcluded && !target.isExcluded
            && !target.isConflictSibling && (target.isKnown || !item.isKnown)
    }

    /// Hands on the state of a replaced document. A draft becomes the document; a separate document replaces it for
    /// good, and takes over a person's settings.
    ///
    /// - Parameter old: The item at its place before.
    func succeed(
        _ target: LocalItem, _ item: inout LocalItem, from old: LocalItem, _ transaction: MetadataTransaction,
        at now: Timestamp
    ) throws {
        let isSave = isSave(item, from: old, over: target, at: now)
        if !target.isConflictSibling, !old.isConflictSibling {
            item.inherit(DocumentSettings(of: target))
            if item.kind == target.kind, isDraft(item, once: old.name, of: target.name, at: now) {
                item.attributes.created = target.attributes.created
            }
        }
        guard isSave else {
            if let conflict = target.conflict {
                try transaction.pending.insert(
                    Resolution(container: target.container, item: conflict.document, version: conflict.version))
            } else if target.isKnown {
                try leaveDeparture(of: target, transaction)
                // Its name is taken.
                _ = recentDepartures.withLock { $0.take(DocumentPlace(of: target), at: now) }
            }
            return
        }
        if item.isKnown { try leaveDeparture(of: old, isDraft: true, transaction) }
        item.item = target.item
        item.isKnown = target.isKnown
    }

    /// Hands on the state of the document that had the name of a new or moved item until recently.
    ///
    /// - Parameter old: The item at its place before; nil for a new item.
    /// - Returns: The content replaced by a file of that identity; nil if there is none. And the folder whose contents
    ///   hand on their settings, with ``handOnContents(of:to:_:at:)``.
    func takePlace(
        _ item: inout LocalItem, from old: LocalItem?, _ transaction: MetadataTransaction, at now: Timestamp
    ) throws -> (base: SeenContent?, folder: NodeID?) {
        let vacated = try transaction.pending.vacated(item.name, in: item.parent, at: now)
        try transaction.pending.removeVacated(item.name, in: item.parent)
        guard isDraft(item, once: old?.name ?? item.name, of: item.name, at: now) else { return (nil, nil) }
        let isSuccessor = vacated.map { $0.node != item.node && self.isSuccessor(item, of: $0) } ?? false
        if let vacated, isSuccessor {
            item.inherit(vacated.settings)
            if item.exclusion == .byAttribute { item.attributes.created = vacated.settings.created }
        }
        let base = try inheritIdentity(&item, from: old, isSuccessor ? vacated : nil, transaction, at: now)
        return (base, item.kind == .folder && isSuccessor ? vacated?.node : nil)
    }

    private func isSuccessor(_ item: LocalItem, of place: VacatedPlace) -> Bool {
        switch item.kind {
        case .file, .symlink: place.kind == .file || place.kind == .symlink
        case .folder: place.kind == .folder
        case .pipe, .socket: false
        }
    }

    /// Remembers a person's settings on an item leaving its name.
    ///
    /// - Parameter isAside: Whether it is a document renamed within its folder, perhaps while a program saves it.
    func vacate(
        _ item: LocalItem, isAside: Bool = false, _ transaction: MetadataTransaction, at now: Timestamp
    ) throws {
        guard !item.isConflictSibling, item.kind == .file || item.kind == .symlink || item.kind == .folder else {
            return
        }
        var matters = isAside || item.isPackage || !DocumentSettings(of: item).areStandard
        if !matters, item.kind == .folder { matters = try !transaction.pending.vacated(in: item.node).isEmpty }
        if matters {
            try transaction.pending.insert(VacatedPlace(leftBy: item, at: now), at: now)
        } else {
            try transaction.pending.removeVacated(item.name, in: item.parent)
        }
    }

    /// Hands on the settings of a folder's contents to their namesakes in the replacing folder, now or when they are
    /// created.
    ///
    /// - Parameter old: The folder, possibly under a different name by now. Only for a package all its contents are
    ///   examined.
    func handOnContents(
        of old: NodeID, to new: NodeID, _ transaction: MetadataTransaction, at now: Timestamp
    ) throws {
        var folders = [(old: old, new: new)]
        var isLookedAt: Set<NodeID> = [old]
        while let (old, new) = folders.popLast() {
            for place in try contents(of: old, replacedBy: new, transaction, at: now) {
                let (settings, node) = (place.settings, place.node)
                guard let twin = try transaction.local.item(named: place.name, in: new) else {
                    var place = place
                    place.parent = new
                    try transaction.pending.insert(place, at: now)
                    continue
                }
                guard isSuccessor(twin, of: place) else { continue }
                var item = twin
                item.inherit(settings)
                if item.isExcluded, !twin.isExcluded { try leaveSync(&item, from: twin, transaction) }
                if item != twin { item.markPending(at: now) }
                try transaction.local.update(item, from: twin)
                if twin.kind == .folder, isLookedAt.insert(node).inserted { folders.append((node, twin.node)) }
            }
        }
    }

    /// Returns the former contents of a folder, and for a package also its current contents with anything to hand on.
    private func contents(
        of folder: NodeID, replacedBy new: NodeID, _ transaction: MetadataTransaction, at now: Timestamp
    ) throws -> [VacatedPlace] {
        let places = try transaction.pending.vacated(in: folder)
        for place in places { try transaction.pending.removeVacated(place.name, in: folder) }
        // The old folder may have a different extension now.
        guard try transaction.local.package(around: new) != nil else { return places }
        return try places
            + transaction.local.children(of: folder, limit: .max).filter {
                $0.kind == .folder || !DocumentSettings(of: $0).areStandard
            }.map { VacatedPlace(leftBy: $0, at: now) }
    }
}

/// Identity and history.
extension VirtualFileSystem {
    /// Takes over the identity of the document previously at a draft's name: its deletion is not in the log yet, or a
    /// program put it aside, or it was deleted recently.
    ///
    /// - Parameters:
    ///   - old: The draft at its place before; nil for a new item.
    ///   - vacated: Knowledge of the document from outside the log.
    /// - Returns: The content replaced by the file; nil if there is none.
    @discardableResult
    func inheritIdentity(
        _ item: inout LocalItem, from old: LocalItem?, _ vacated: VacatedPlace?,
        _ transaction: MetadataTransaction, at now: Timestamp
    ) throws -> SeenContent? {
        // The log cannot change a link's target: a new link is a new item.
        guard item.exclusion == .none || item.exclusion == .byPattern, item.kind != .symlink else { return nil }
        let wasKnown = item.isKnown
        let base: SeenContent?
        if let departure = try transaction.pending.departure(named: item.name, in: item.parent),
            departure.kind == item.kind, departure.container == item.container
        {
            base = try takeIdentity(of: departure, &item, vacated, transaction)
        } else if let vacated, let aside = try asideDocument(vacated, savedAs: item, from: old, transaction, at: now) {
            base = try takeIdentity(ofAside: aside, &item, vacated, transaction, at: now)
        } else {
            try recreate(&item, transaction, at: now)
            return nil
        }
        if wasKnown, let old { try leaveDeparture(of: old, isDraft: true, transaction) }
        item.isKnown = true
        guard item.isExcluded else { return base }
        // The name is in the log, so no pattern excludes it.
        item.exclusion = .none
        if !item.isWriting { item.markPending(at: now) }
        return base
    }

    private func takeIdentity(
        of departure: Departure, _ item: inout LocalItem, _ vacated: VacatedPlace?, _ transaction: MetadataTransaction
    ) throws -> SeenContent? {
        let base = item.kind == .file ? try rebase(departure, transaction) : nil
        let synced = try transaction.synced.item(departure.item, in: departure.container)
        if let synced, try transaction.hasUnresolvedVersions(departure.item, in: departure.container) {
            // Not settled: versions that arrived meanwhile get their siblings in the next round.
            try transaction.synced.set(synced, in: departure.container)
        }
        let agreed = synced?.attributes
        let wasDraft = recentDepartures.withLock { $0.wasDraft(at: DocumentPlace(of: item)) }
        inherit(wasDraft ? nil : vacated?.settings.created ?? agreed?.created, agreed, &item)
        try transaction.pending.removeDeparture(of: departure.item, in: departure.container)
        item.item = departure.item
        return base
    }

    /// Returns a document put aside by a program under a different name in its folder, in order to save `item` in its
    /// place.
    ///
    /// Log rotation does the same, but there the old file is the continuing one. The distinction: a saving program has
    /// written the new content before it touches the old one, or names the old one as a backup of the document.
    private func asideDocument(
        _ vacated: VacatedPlace, savedAs item: LocalItem, from old: LocalItem?, _ transaction: MetadataTransaction,
        at now: Timestamp
    ) throws -> LocalItem? {
        guard item.kind == .file, vacated.kind == .file, vacated.time.adding(VacatedPlace.saveTime) >= now,
            let aside = try transaction.local.item(vacated.node), aside.kind == .file,
            aside.parent == vacated.parent, aside.container == item.container, aside.isKnown, !aside.isExcluded,
            !aside.isConflictSibling, !aside.isAwaited
        else { return nil }
        let wasWrittenBefore = old.map { $0.attributes.created <= vacated.time } ?? false
        return wasWrittenBefore || SaveRules.isBackup(aside.name, of: item.name) ? aside : nil
    }

    /// Gives the identity of a document put aside back to its name; the backup becomes a new document.
    private func takeIdentity(
        ofAside aside: LocalItem, _ item: inout LocalItem, _ vacated: VacatedPlace,
        _ transaction: MetadataTransaction, at now: Timestamp
    ) throws -> SeenContent? {
        let base = try rebase(aside, on: seen(at: DocumentPlace(of: item)), transaction)
        var backup = aside
        backup.item = newID()
        backup.isKnown = false
        backup.markPending(at: now)
        if backup.isWriting, backup.isEdited, aside.pendingSince == nil { backup.pendingSince = nil }
        try transaction.local.update(backup, from: aside)
        item.attributes.created = vacated.settings.created
        item.item = aside.item
        return base
    }

    /// Recreates, under its old id, a document whose deletion was logged recently.
    private func recreate(
        _ item: inout LocalItem, _ transaction: MetadataTransaction, at now: Timestamp
    ) throws {
        guard item.kind == .file, !item.isKnown else { return }
        let place = DocumentPlace(of: item)
        guard let id = recentDepartures.withLock({ $0.take(place, at: now) }), id != item.item,
            try transaction.pending.departure(of: id, in: item.container) == nil,
            try transaction.local.item(id, in: item.container) == nil,
            let deleted = try transaction.remote(in: item.container).item(id), deleted.isDeleted,
            deleted.body.content != nil, try isIn(deleted.parent, item, transaction)
        else { return }
        if try transaction.synced.item(id, in: item.container) != nil {
            try transaction.synced.setAbsent(id, in: item.container)
        }
        inherit(deleted.attributes.created, deleted.attributes, &item)
        item.item = id
    }

    /// Returns whether the item's folder is still that of the log: a package set aside as a conflict version is another
    /// document in the same row.
    private func isIn(_ folder: ItemID, _ item: LocalItem, _ transaction: MetadataTransaction) throws -> Bool {
        try transaction.local.identity(of: item.parent)
            == transaction.remote(in: item.container).alias(of: folder) ?? folder
    }

    private func inherit(_ created: Timestamp?, _ agreed: ItemAttributes?, _ item: inout LocalItem) {
        if let created { item.attributes.created = created }
        let tags = (agreed?.extended ?? [:]).filter { DocumentSettings.tagNames.contains($0.key) }
        item.attributes.extended.merge(tags) { own, _ in own }
    }
}
