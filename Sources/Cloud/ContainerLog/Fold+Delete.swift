import Basics
import CloudModel

/// The rules for deletions and resolved conflicts: nothing unseen by the deleting device is removed.
extension Fold {
    mutating func delete(_ id: ItemID, base: Digest?) throws {
        guard let named = try find(id), let item = try holder(of: base, for: named), !item.isDeleted,
            !item.id.isWellKnown,
            try mayDelete(base, in: item, as: id)
        else { return }
        switch item.body {
        case .folder: if try store.hasChildren(item.id) { return }
        case .symlink: break
        case .file:
            guard item.digest == base else {
                // The device saw a content that has lost since: remove that content and keep the winner.
                guard let base, item.holds(base) else { return }
                contested = ContestedFile(item)
                return dropConflict(base)
            }
        }
        try bury(item)
    }

    /// Whether a deletion may remove this content. A deletion under an aliased id came from a device unaware of the
    /// alias's target: it may only remove content written by that device.
    private func mayDelete(_ base: Digest?, in item: CloudItem, as id: ItemID) throws -> Bool {
        try store.alias(of: id) == nil || item.writer(of: base) == author
    }

    mutating func resolve(_ id: ItemID, versions: [VersionID]) throws {
        guard let item = try find(id) else { return }
        if !item.conflicts.isEmpty {
            contested = ContestedFile(item)
            try resolve(versions)
        }
        for version in versions { try buryHeir(of: item.id, version) }
    }

    /// Deletes the item that the version became when its document was deleted, if it still has the resolved content.
    mutating func buryHeir(of id: ItemID, _ version: VersionID) throws {
        let derived = rules.derivedIDs.heir(of: id, version)
        if try meansContested(derived, nil) { try closeContested() }
        guard let heir = try find(derived), !heir.isDeleted, heir.body.kind == .file,
            heir.version == version
        else { return }
        try closeContested()
        try bury(heir)
    }

    /// Creates a tombstone. Its conflict versions are unresolved, so each becomes a separate item.
    private mutating func bury(_ item: CloudItem) throws {
        var gone = item
        gone.conflicts = []
        gone.isDeleted = true
        try put(gone)
        var numbers: [String: Int] = [:]
        for conflict in item.conflicts { try promote(conflict, of: item, &numbers) }
    }

    /// - Parameter numbers: For each name suffix, the first number that may be free: no name becomes free until all
    ///   versions are promoted.
    private mutating func promote(
        _ conflict: ConflictVersion, of item: CloudItem, _ numbers: inout [String: Int]
    ) throws {
        guard let digest = conflict.digest else { return }
        var id = rules.derivedIDs.heir(of: item.id, conflict.version)
        // Only an entry crafted for this purpose can have taken this id.
        while try store.item(id) != nil || store.alias(of: id) != nil {
            id = rules.derivedIDs.heir(of: id, conflict.version)
        }
        var attributes = item.attributes
        attributes.modified = conflict.modified
        let heir = CloudItem(
            id: id, parent: item.parent, name: try heirName(conflict, of: item, &numbers), attributes: attributes,
            body: .file(conflict.content), version: conflict.version, author: conflict.author,
            authorName: conflict.authorName)
        try put(heir)
        try store.setAlias(rules.derivedIDs.trail(of: item.id, to: digest), to: id)
    }

    private func heirName(
        _ conflict: ConflictVersion, of item: CloudItem, _ numbers: inout [String: Int]
    ) throws -> ItemName {
        let suffix = rules.heirName.suffix(from: conflict.authorName, at: conflict.modified)
        var number = numbers[suffix] ?? 1
        defer { numbers[suffix] = number }
        while true {
            let text = number == 1 ? suffix : "\(suffix) \(number)"
            let candidate = rules.numberedName.inserting(text, into: item.name)
            guard try resident(at: candidate, in: item.parent) != nil else { return candidate }
            number += 1
        }
    }
}
