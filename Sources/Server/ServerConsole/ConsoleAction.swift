package import Basics
package import CloudModel
package import ContainerLog

/// Turns a person's decisions in the console into changes that devices understand. Pure. Deletes nothing unseen by the
/// person: every change names its version, and the reducer weighs it like any other.
package enum ConsoleAction {
    /// The decision was based on an outdated page.
    package struct Outdated: Error {}

    /// Returns the deletion of an item; nil if it stays. Items newer than the page's log position (`seen`) stay,
    /// together with their enclosing folders. An item's contents have to be deleted before it.
    package static func delete(
        _ item: ItemID, content: Digest?, changed sequence: LogSequence, seen: LogSequence
    ) -> Change? {
        item.isWellKnown || sequence > seen ? nil : .delete(item, base: content)
    }

    /// Returns changes restoring deleted items, each after its folder, the first under `name` if given: in the log,
    /// creating a tombstone's item again restores it.
    package static func restore(_ items: [CloudItem], named name: ItemName?) -> [Change] {
        items.enumerated().compactMap { index, item in
            // A merely announced content has no bytes to restore.
            guard item.isDeleted, !item.id.isWellKnown, item.body.content.map({ $0.reference != nil }) ?? true else {
                return nil
            }
            return .create(
                item.id, parent: item.parent, name: index == 0 ? name ?? item.name : item.name,
                attributes: item.attributes,
                body: item.body)
        }
    }

    /// Returns the change restoring an earlier content of a document as the current one; the current content becomes an
    /// earlier version. `seen` is the version shown as current on the page; throws ``Outdated`` if it no longer is.
    package static func restore(
        _ content: ContentReference, modified: Timestamp, of item: CloudItem, seen: VersionID
    ) throws -> Change {
        guard seen == item.version, let current = item.body.content?.reference else { throw Outdated() }
        return .edit(item.id, base: current.digest, content: .stored(content), modified: modified)
    }

    /// Returns the change that permanently removes a deleted item: its versions leave the history.
    package static func purge(_ item: ItemID, versions: [VersionID]) -> Change {
        .resolve(item, versions: versions)
    }

    /// The version of a conflict to keep.
    package enum Choice: Hashable, Sendable {
        case current
        /// Each version becomes a separate document.
        case both
        case version(VersionID)

        package init?(_ text: String) {
            switch text {
            case "current": self = .current
            case "both": self = .both
            default:
                guard let version = VersionID(text) else { return nil }
                self = .version(version)
            }
        }
    }

    /// Returns the changes that end a conflict. `seen` are the versions shown on the page, the current one first;
    /// throws ``Outdated`` if they no longer are current. `names` gives a free name for each document created from a
    /// version, `newID` its id.
    package static func resolve(
        _ item: CloudItem, keep choice: Choice, seen: [VersionID], names: [ItemName], newID: () -> ItemID
    ) throws -> [Change] {
        guard seen == [item.version] + item.conflicts.map(\.version), !item.conflicts.isEmpty else { throw Outdated() }
        let resolution = Change.resolve(item.id, versions: item.conflicts.map(\.version))
        switch choice {
        case .current: return [resolution]
        case .both:
            return zip(item.conflicts, names).map { conflict, name in
                var attributes = item.attributes
                attributes.modified = conflict.modified
                return .create(
                    newID(), parent: item.parent, name: name, attributes: attributes, body: .file(conflict.content))
            } + [resolution]
        case .version(let version):
            guard let chosen = item.conflicts.first(where: { $0.version == version }) else { throw Outdated() }
            let edit = Change.edit(
                item.id, base: item.body.content?.reference?.digest, content: chosen.content, modified: chosen.modified)
            return [edit, resolution]
        }
    }

    /// Returns candidate names for documents created from conflict versions: `name 2.ext` and so on. The caller removes
    /// taken names.
    package static func candidates(for name: ItemName, count: Int) -> [ItemName] {
        (2..<(2 + count)).map(name.numbered)
    }
}
