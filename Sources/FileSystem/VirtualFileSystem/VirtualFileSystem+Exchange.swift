import Basics
import CloudModel
import Glibc
import LocalMetadata

extension VirtualFileSystem {
    /// `RENAME_EXCHANGE` of two items with their folders. If a new file changes places with a document, the document's
    /// name keeps its identity, unless the document's bytes have yet to arrive.
    func exchange(
        _ first: (item: LocalItem, folder: LocalItem), _ second: (item: LocalItem, folder: LocalItem),
        _ transaction: MetadataTransaction, at now: Timestamp
    ) throws {
        var one = first.item
        var two = second.item
        (one.parent, two.parent) = (second.item.parent, first.item.parent)
        (one.name, two.name) = (second.item.name, first.item.name)
        (one.changed, two.changed) = (now, now)
        let saved = savedDocument(first.item, second.item, at: now)
        switch saved {
        case first.item.node:
            try save(
                &two, from: second.item, in: first.folder, as: &one, from: first.item, in: second.folder, transaction,
                at: now)
        case second.item.node:
            try save(
                &one, from: first.item, in: second.folder, as: &two, from: second.item, in: first.folder, transaction,
                at: now)
        default:
            try exchangeExclusion(&one, from: first.item, into: second.folder, transaction)
            try exchangeExclusion(&two, from: second.item, into: first.folder, transaction)
        }
        (one.packageConflict, two.packageConflict) = (nil, nil)
        one.markPending(at: now)
        two.markPending(at: now)
        // Neither a name nor an id may occur twice, not even between two statements.
        try transaction.local.remove(two.node)
        try transaction.local.update(one)
        try transaction.local.restore(two)
        try transaction.local.touch(one.parent, at: now)
        if one.parent != two.parent { try transaction.local.touch(two.parent, at: now) }
        try exchangeConflicts(one, two, transaction, at: now)
        guard let saved, one.isPackage || two.isPackage else { return }
        try handOnContents(of: saved, to: saved == one.node ? two.node : one.node, transaction, at: now)
    }

    /// Reassigns the conflict versions of packages: they belong to the item now bearing the package's name.
    private func exchangeConflicts(
        _ one: LocalItem, _ two: LocalItem, _ transaction: MetadataTransaction, at now: Timestamp
    ) throws {
        let (ofOne, ofTwo) = (try transaction.local.conflicts(of: one), try transaction.local.conflicts(of: two))
        for (versions, document) in [(ofOne, two), (ofTwo, one)] {
            for version in versions where version.item != document.item {
                var version = version
                version.packageConflict = version.packageConflict.map {
                    PackageConflict(document: document.item, device: $0.device)
                }
                version.markPending(at: now)
                try transaction.local.update(version)
            }
        }
    }

    /// Returns the document among two items if the other was created to replace it; nil if both are documents.
    private func savedDocument(_ one: LocalItem, _ two: LocalItem, at now: Timestamp) -> NodeID? {
        guard one.kind == two.kind, one.kind != .pipe, one.kind != .socket else { return nil }
        let document: LocalItem
        switch (
            isDraft(one, once: one.name, of: two.name, at: now), isDraft(two, once: two.name, of: one.name, at: now)
        ) {
        case (false, true): document = one
        case (true, false): document = two
        case (true, true) where !one.isKnown || !two.isKnown:
            let (created, other) = (one.attributes.created, two.attributes.created)
            guard created != other else { return nil }
            document = created < other ? one : two
        default: return nil
        }
        let draft = document.node == one.node ? two : one
        // An item kept local by a person is no draft of a document.
        return draft.exclusion == .byAttribute && document.exclusion != .byAttribute ? nil : document.node
    }

    /// Swaps the names of a draft and a document's old content. Settings stay with the name, and an item kept on this
    /// device stays local under its new name too.
    ///
    /// - Parameters:
    ///   - draft: The item at its new place, previously `oldDraft`.
    ///   - folder: The folder of the document's name.
    ///   - content: The old content at its new place, previously `document`.
    ///   - other: The folder of the draft's name.
    private func save(
        _ draft: inout LocalItem, from oldDraft: LocalItem, in folder: LocalItem, as content: inout LocalItem,
        from document: LocalItem, in other: LocalItem, _ transaction: MetadataTransaction, at now: Timestamp
    ) throws {
        // A file with bytes still on their way gets them under its own id only: both then move.
        let isSave = draft.kind == .file && document.isKnown && !document.isAwaited && !oldDraft.isAwaited
        if isSave {
            swap(&draft.item, &content.item)
            swap(&draft.isKnown, &content.isKnown)
            swap(&draft.exclusion, &content.exclusion)
        } else {
            draft.exclusion = try exclusion(
                ofMoved: oldDraft, to: draft.name, in: folder, replacing: document, transaction)
            content.exclusion = try exclusion(
                ofMoved: document, to: content.name, in: other, replacing: nil, transaction)
        }
        draft.inherit(DocumentSettings(of: document))
        if draft.kind == .file {
            draft.attributes.created = document.attributes.created
            content.attributes.created = oldDraft.attributes.created
        }
        for (item, old) in [(draft, oldDraft), (content, document)] where item.isExcluded != old.isExcluded {
            // Everything inside would have to leave the sync or enter it.
            guard item.kind != .folder else { throw Errno(EINVAL) }
            try checkArrived(item)
            guard item.isExcluded, !isSave else { continue }
            if item.node == draft.node {
                try leaveSync(&draft, from: oldDraft, transaction)
            } else {
                try leaveSync(&content, from: document, transaction)
            }
        }
        if content.isExcluded, content.kind == .file, !content.isMaterialised { content.wanted = 255 }
    }

    private func exchangeExclusion(
        _ item: inout LocalItem, from old: LocalItem, into folder: LocalItem, _ transaction: MetadataTransaction
    ) throws {
        item.exclusion = try exclusion(ofMoved: old, to: item.name, in: folder, replacing: nil, transaction)
        guard item.isExcluded != old.isExcluded else { return }
        // Everything inside would have to leave the sync or enter it.
        guard item.kind != .folder else { throw Errno(EINVAL) }
        if item.isExcluded { try leaveSync(&item, from: old, transaction) }
    }
}
