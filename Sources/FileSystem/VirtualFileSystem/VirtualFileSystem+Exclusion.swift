import Basics
package import CloudModel
import Glibc
import LocalContent
import LocalMetadata

/// Local-only items, because of their name or their folder.
extension VirtualFileSystem {
    /// Returns whether an item stays on this device under that name in that folder, regardless of ignore files.
    func stays(_ kind: LocalKind, _ name: ItemName, in folder: LocalItem) -> Bool {
        kind == .pipe || kind == .socket || folder.isExcluded || exclusions.excludes(name)
    }

    /// Removes from the cloud a document renamed to a local-only name, unless its old name is reused immediately.
    func leaveSync(_ item: inout LocalItem, from old: LocalItem, _ transaction: MetadataTransaction) throws {
        if item.isConflictSibling {
            // Its folder was deleted: the version is not resolved, so other devices keep it, and a copy stays on this
            // device.
            becomeDocument(&item)
        } else {
            // An item kept or restored after its deletion has an id in the log too: a remote device may bring it back.
            guard try item.isKnown || transaction.remote(in: item.container).item(item.item) != nil else {
                return
            }
            try checkArrived(item)
            try leaveDeparture(of: old, transaction)
            item.item = newID()
            item.isKnown = false
        }
        // The bytes of a local-only item must be local.
        if item.kind == .file, !item.isMaterialised { item.wanted = 255 }
    }

    /// Refuses a new id for a file still being uploaded by its author under this id: it would never get its bytes.
    func checkArrived(_ item: LocalItem) throws(Errno) {
        guard !item.isAwaited else {
            throw Errno(EAGAIN, "its bytes have not reached the cloud yet, so they cannot be kept here")
        }
    }

    /// Passes a folder's exclusion, or the end of it, on to its contents. `old` is the folder at its previous place.
    func spreadExclusion(
        _ folder: LocalItem, from old: LocalItem, _ transaction: MetadataTransaction, at now: Timestamp
    ) throws {
        var folders = [folder]
        var next = 0
        while next < folders.count {
            let parent = folders[next]
            let scope = try parent.isExcluded ? nil : ignoreScope(in: parent, transaction)?.scope
            next += 1
            var last = NodeID(0)
            while case let children = try transaction.local.children(of: parent.node, after: last, limit: 500),
                !children.isEmpty
            {
                for child in children {
                    last = child.node
                    let changed = try spreadExclusion(of: parent, scope, to: child, transaction, at: now)
                    if changed.kind == .folder { folders.append(changed) }
                }
            }
        }
        // The log deletes a folder once nothing is in it, so the deepest folders leave first.
        for var folder in folders.reversed() where folder.isExcluded {
            try leaveSync(&folder, from: folder.node == old.node ? old : folder, transaction)
            try transaction.local.update(folder)
        }
    }

    private func spreadExclusion(
        of parent: LocalItem, _ scope: IgnoreScope?, to old: LocalItem, _ transaction: MetadataTransaction,
        at now: Timestamp
    ) throws -> LocalItem {
        var child = old
        if child.exclusion != .byAttribute {
            child.exclusion = exclusion(of: child.kind, child.name, in: parent, scope)
        }
        if child.isExcluded, !old.isExcluded, child.kind != .folder { try leaveSync(&child, from: old, transaction) }
        child.markPending(at: now)
        try transaction.local.update(child)
        return child
    }
}

/// Reasons for excluding an item.
extension VirtualFileSystem {
    /// Returns whether an item stays on this device under that name in that folder, as if it were new there.
    func exclusion(
        of kind: LocalKind, _ name: ItemName, in folder: LocalItem, _ transaction: MetadataTransaction
    ) throws -> Exclusion {
        // Nothing is looked up for the contents of an excluded folder.
        if stays(kind, name, in: folder) { return .own }
        return try exclusion(of: kind, name, in: folder, ignoreScope(in: folder, transaction)?.scope)
    }

    /// As ``exclusion(of:_:in:_:)``, for an item missing from the log. A program slowly saving a document kept local by
    /// a person must not have its temporary file uploaded.
    func exclusion(
        ofNew kind: LocalKind, _ name: ItemName, in folder: LocalItem, _ transaction: MetadataTransaction
    ) throws -> Exclusion {
        let exclusion = try exclusion(of: kind, name, in: folder, transaction)
        guard exclusion == .none, kind == .file else { return exclusion }
        if try isPartOfDatabase(name, in: folder, transaction) { return .own }
        let isHelper = try SaveRules.spellings(name).contains { spelling in
            try transaction.local.documentsExcludedByAttribute(in: folder.node, beginning: spelling).contains {
                SaveRules.isHelper(spelling, ofNameOfLength: $0)
            }
        }
        return isHelper ? .own : .none
    }

    /// Returns whether a name belongs to the write-ahead log, or its index, of an SQLite database in the folder
    /// (sqlite.org/wal.html): without the database as of this moment they are worthless, and harm any other database.
    private func isPartOfDatabase(
        _ name: ItemName, in folder: LocalItem, _ transaction: MetadataTransaction
    ) throws -> Bool {
        let (bytes, endings) = (name.bytes, ["-wal", "-shm"].map { Array($0.utf8) })
        guard bytes.count > 4, endings.contains(where: { bytes.suffix(4).elementsEqual($0) }),
            // The rest of a valid name is valid.
            let database = try? ItemName(bytes: bytes.dropLast(4)),
            let item = try transaction.local.item(named: database, in: folder.node), item.kind == .file
        else { return false }
        return content.isSQLiteDatabase(item.blob)
    }

    /// As ``exclusion(of:_:in:_:)``, with the patterns for the folder.
    func exclusion(of kind: LocalKind, _ name: ItemName, in folder: LocalItem, _ scope: IgnoreScope?) -> Exclusion {
        if stays(kind, name, in: folder) { return .own }
        return scope?.match(name, isFolder: kind == .folder) == nil ? .none : .byPattern
    }

    /// As ``exclusion(of:_:in:_:)``, for an item moving there. An item of the log under a name matched by a pattern
    /// stays in the log, like a tracked file in git, and so does its replacement.
    func exclusion(
        ofMoved old: LocalItem, to name: ItemName, in folder: LocalItem, replacing target: LocalItem?,
        _ transaction: MetadataTransaction
    ) throws -> Exclusion {
        // An item kept local by a person stays local, wherever it is put.
        if old.exclusion == .byAttribute { return .byAttribute }
        let exclusion =
            try old.isKnown
            ? exclusion(of: old.kind, name, in: folder, transaction)
            : exclusion(ofNew: old.kind, name, in: folder, transaction)
        guard exclusion == .byPattern else { return exclusion }
        if let target, target.kind == .file, old.kind == .file, target.isKnown, !target.isExcluded { return .none }
        guard old.isKnown, !old.isExcluded, let from = try transaction.local.item(old.parent),
            try ignoreScope(in: from, transaction)?.scope.match(old.name, isFolder: old.kind == .folder) != nil
        else { return .byPattern }
        return .none
    }

    /// Returns the patterns for the items of a folder, and the folders from `Documents` down to it; nil if there are
    /// none. No pattern looks into packages, as each is a single document.
    func ignoreScope(
        in folder: LocalItem, _ transaction: MetadataTransaction
    ) throws -> (scope: IgnoreScope, folders: [LocalItem])? {
        guard !ignoring.isEmpty, let folders = try foldersInDocuments(folder.node, transaction),
            !folders.contains(where: \.isPackage)
        else { return nil }
        let entries = ignoring.entries
        guard folders.contains(where: { entries[$0.node]?.file != nil }) else { return nil }
        var scope = IgnoreScope(folders.first.flatMap { entries[$0.node]?.file })
        for folder in folders.dropFirst() { scope.enter(folder.name, with: entries[folder.node]?.file) }
        return (scope, folders)
    }

    /// Why a pattern excludes an item.
    package struct IgnoreReason: Sendable, Equatable {
        /// The ignore file's path from the mount's root.
        package let file: [ItemName]
        package let pattern: IgnorePattern
    }

    /// Returns the pattern excluding an item or any of its ancestors; nil if there is none.
    func ignoreReason(of item: LocalItem, _ transaction: MetadataTransaction) throws -> IgnoreReason? {
        guard item.isExcluded, !ignoring.isEmpty, let folder = try transaction.local.item(item.parent),
            let (scope, folders) = try ignoreScope(in: folder, transaction),
            let match = scope.match(item.name, isFolder: item.kind == .folder), folders.indices.contains(match.depth),
            let entry = ignoring.entries[folders[match.depth].node]
        else { return nil }
        return IgnoreReason(file: try transaction.local.path(of: entry.row.node), pattern: match.pattern)
    }
}

extension LocalItem {
    /// Whether a file's bytes are neither local nor in the cloud, because its author is still uploading them.
    var isAwaited: Bool { kind == .file && size > 0 && content == nil && !isMaterialised }
}
