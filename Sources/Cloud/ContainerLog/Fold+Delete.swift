import Basics
import CloudModel

/// The rules for deletions and resolved conflicts: nothing goes that its deleter did not see.
extension Fold {
    mutating func delete(_ id: ItemID, base: Digest?) throws {
        guard let named = try find(id), var item = try holder(of: base, for: named), !item.isDeleted,
            !item.id.isWellKnown,
            try mayDelete(base, in: item, as: id)
        else { return }
        switch item.body {
        case .folder: if try store.hasChildren(item.id) { return }
        case .symlink: break
        case .file:
            guard item.digest == base else {
                // The deleter saw a content that has lost since: it goes, what won stays.
                if let base, item.dropConflict(base) { try put(item) }
                return
            }
        }
        try bury(item)
    }

    /// Who deletes under an id that has become an alias does not know the other item yet, and so may only take what he
    /// wrote.
    private func mayDelete(_ base: Digest?, in item: CloudItem, as id: ItemID) throws -> Bool {
        try store.alias(of: id) == nil || item.writer(of: base) == author
    }

    mutating func resolve(_ id: ItemID, versions: [VersionID]) throws {
        guard var item = try find(id) else { return }
        let listed = Set(versions)
        item.conflicts.removeAll { listed.contains($0.version) }
        try put(item)
        for version in versions { try buryHeir(of: item.id, version) }
    }

    /// The version became an item when its document was deleted, and still has the content that is discarded here.
    private mutating func buryHeir(of id: ItemID, _ version: VersionID) throws {
        guard let heir = try find(ConflictNaming.derivedID(id, version)), !heir.isDeleted, heir.body.kind == .file,
            heir.version == version
        else { return }
        try bury(heir)
    }

    /// Makes a tombstone. Nobody has dealt with its conflict versions, so each becomes an item of its own.
    private mutating func bury(_ item: CloudItem) throws {
        var gone = item
        gone.conflicts = []
        gone.isDeleted = true
        try put(gone)
        for conflict in item.conflicts { try promote(conflict, of: item) }
    }

    private mutating func promote(_ conflict: ConflictVersion, of item: CloudItem) throws {
        guard let digest = conflict.digest else { return }
        var id = ConflictNaming.derivedID(item.id, conflict.version)
        // Only someone who set out to can have taken this id.
        while try store.item(id) != nil || store.alias(of: id) != nil {
            id = ConflictNaming.derivedID(id, conflict.version)
        }
        let name = try ConflictNaming.siblingName(of: item.name, for: conflict) { candidate in
            try resident(at: candidate, in: item.parent) != nil
        }
        var attributes = item.attributes
        attributes.modified = conflict.modified
        let heir = CloudItem(
            id: id, parent: item.parent, name: name, attributes: attributes, body: .file(conflict.content),
            version: conflict.version, author: conflict.author, authorName: conflict.authorName)
        try put(heir)
        try store.setAlias(ConflictNaming.derivedID(item.id, base: digest), to: id)
    }
}
