package import CloudModel
package import ContainerLog

/// What a person decides in the console, as changes that devices understand. Pure. Nothing goes that the person did not see: every
/// change names what it was meant against, and the reducer weighs it like any other.
package enum ConsoleAction {
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

    /// Brings deleted items back, each behind its folder, the first one under that name: to the log a tombstone that is created comes back.
    package static func restore(_ items: [CloudItem], named name: ItemName) -> [Change] {
        items.enumerated().compactMap { index, item in
            // Of what was only announced there are no bytes.
            guard item.isDeleted, !item.id.isWellKnown, item.body.content.map({ $0.reference != nil }) ?? true else {
                return nil
            }
            return .create(
                item.id, parent: item.parent, name: index == 0 ? name : item.name, attributes: item.attributes,
                body: item.body)
        }
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
        (2..<(2 + count)).map(name.numbered)
    }

    /// Batches that an entry may hold: bounded in number, and in what names, attributes and targets of links take.
    package static func batches(_ changes: [Change]) -> [[Change]] {
        var batches: [[Change]] = []
        var bytes = 0
        for change in changes {
            bytes += change.roughSize
            if batches.isEmpty || batches[batches.count - 1].count == batchSize || bytes > byteLimit {
                batches.append([])
                bytes = change.roughSize
            }
            batches[batches.count - 1].append(change)
        }
        return batches
    }

    private static let batchSize = 5_000
    private static let byteLimit = 2 << 20
}

extension Change {
    /// Bytes of a change of the console, at least as many as it has.
    fileprivate var roughSize: Int {
        switch self {
        case .create(_, _, let name, let attributes, let body):
            var size = 160 + name.bytes.count
            if case .symlink(let target) = body { size += target.count }
            return attributes.extended.reduce(size) { $0 + $1.key.utf8.count + $1.value.count + 12 }
        case .resolve(_, let versions): return 32 + 20 * versions.count
        default: return 100
        }
    }
}
