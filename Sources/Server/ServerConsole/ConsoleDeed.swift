package import CloudModel
package import ContainerLog

/// What a person decides in the console, as changes that devices understand. Pure. Nothing goes that the person did not see: every
/// change names what it was meant against, and the reducer weighs it like any other.
package enum ConsoleDeed {
    /// The page that the decision was made on shows something else by now.
    package struct Outdated: Error {}

    /// Deletes items, given in the order in which what is inside comes before what it is in. What is newer than the page that was
    /// seen (`seen`, a position in the log) stays, and with it the folders that it is in.
    package static func delete(_ items: [CloudItem], seen: LogSequence) -> [Change] {
        items.filter { !$0.id.isWellKnown && $0.version.sequence <= seen }
            .map { .delete($0.id, base: $0.body.content?.reference?.digest) }
    }

    /// Empties a container: its conflict versions go first, or they would become documents of their own.
    package static func empty(_ items: [CloudItem], seen: LogSequence) -> [Change] {
        let resolutions = items.filter { !$0.conflicts.isEmpty && $0.version.sequence <= seen }.map { item in
            Change.resolve(item.id, versions: item.conflicts.map(\.version).filter { $0.sequence <= seen })
        }
        return resolutions + delete(items, seen: seen)
    }

    /// Which version of a conflict stays.
    package enum Choice: Hashable, Sendable {
        case current
        /// Each version becomes a document of its own.
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

    /// Ends a conflict. `seen` are the versions that the page showed, the current one first; where they are not the ones that there are
    /// now, throws ``Outdated``. `names` gives a free name for each document that is made of a version, `newID` its id.
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

    /// Names for documents that are made of conflict versions: `name 2.ext` and on, without those that are taken.
    package static func candidates(for name: ItemName, count: Int) -> [ItemName] {
        (2..<(2 + count)).map { name.inserting(" \($0)") }
    }

    /// Batches that an entry may hold.
    package static func batches(_ changes: [Change]) -> [[Change]] {
        // A deletion has 50 bytes; conflicts to resolve have 12 each.
        stride(from: 0, to: changes.count, by: batchSize).map {
            Array(changes[$0..<min($0 + batchSize, changes.count)])
        }
    }

    private static let batchSize = 5_000
}
