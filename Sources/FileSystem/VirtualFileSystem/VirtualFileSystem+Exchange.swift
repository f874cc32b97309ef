import Basics
import CloudModel
import Glibc
import LocalMetadata

extension VirtualFileSystem {
    /// `RENAME_EXCHANGE` of two items with their folders. If a new file changes places with a document, the document's name keeps its
    /// identity, unless the document's bytes have yet to arrive.
    func exchange(
        _ first: (item: LocalItem, folder: LocalItem), _ second: (item: LocalItem, folder: LocalItem),
        _ transaction: MetadataTransaction, at now: Timestamp
    ) throws {
        var one = first.item
        var two = second.item
        (one.parent, two.parent) = (second.item.parent, first.item.parent)
        (one.name, two.name) = (second.item.name, first.item.name)
        (one.changed, two.changed) = (now, now)
        if one.kind == .file, two.kind == .file {
            try exchangeIdentities(&one, &two)
        } else {
            try exchangeExclusion(&one, from: first.item, into: second.folder, transaction)
            try exchangeExclusion(&two, from: second.item, into: first.folder, transaction)
        }
        (one.packageConflict, two.packageConflict) = (nil, nil)
        markPending(&one, at: now)
        markPending(&two, at: now)
        // Neither a name nor an id may occur twice, not even between two statements.
        try transaction.local.remove(two.node)
        try transaction.local.update(one)
        try transaction.local.restore(two)
        try transaction.local.touch(one.parent, at: now)
        if one.parent != two.parent { try transaction.local.touch(two.parent, at: now) }
        try exchangeConflicts(one, two, transaction, at: now)
    }

    /// Reassigns the conflict versions of packages: they belong to the item that has the package's name now.
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
                markPending(&version, at: now)
                try transaction.local.update(version)
            }
        }
    }

    private func exchangeIdentities(_ one: inout LocalItem, _ two: inout LocalItem) throws {
        if one.isExcluded != two.isExcluded { for item in [one, two] { try checkArrived(item) } }
        swap(&one.exclusion, &two.exclusion)
        // A file whose bytes are on their way gets them under its own id only: both then move.
        guard one.isKnown != two.isKnown, !one.isAwaited, !two.isAwaited else { return }
        swap(&one.item, &two.item)
        swap(&one.isKnown, &two.isKnown)
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
