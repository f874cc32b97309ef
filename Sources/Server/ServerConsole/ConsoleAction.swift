package import CloudModel
package import ContainerLog

/// Turns a person's decisions in the console into changes that devices understand. Pure. Nothing is deleted that the person did not see:
/// every change names the version that it applies to, and the reducer weighs it like any other.
package enum ConsoleAction {
    /// The page on which the decision was made is out of date.
    package struct Outdated: Error {}

    /// Returns the deletions of items, given in an order in which an item's contents precede it. Items newer than the page that was seen
    /// (`seen`, a position in the log) stay, and with them the folders that contain them.
    package static func delete(_ items: [CloudItem], seen: LogSequence) -> [Change] {
        items.filter { !$0.id.isWellKnown && $0.version.sequence <= seen }
            .map { .delete($0.id, base: $0.body.content?.reference?.digest) }
    }

    /// Returns the changes that empty a container. Conflict versions are resolved first, or they would become documents of their own.
    package static func empty(_ items: [CloudItem], seen: LogSequence) -> [Change] {
        let resolutions = items.filter { !$0.conflicts.isEmpty && $0.version.sequence <= seen }.map { item in
            Change.resolve(item.id, versions: item.conflicts.map(\.version).filter { $0.sequence <= seen })
        }
        return resolutions + delete(items, seen: seen)
    }

    /// Returns the changes that restore deleted items, each after its folder, the first one under `name`: in the log, creating a
    /// tombstone's item again restores it.
    package static func restore(_ items: [CloudItem], named name: ItemName) -> [Change] {
        items.enumerated().compactMap { index, item in
            // A content that was only announced has no bytes to restore.
            guard item.isDeleted, !item.id.isWellKnown, item.body.content.map({ $0.reference != nil }) ?? true else {
                return nil
            }
            return .create(
                item.id, parent: item.parent, name: index == 0 ? name : item.name, attributes: item.attributes,
                body: item.body)
        }
    }

    /// The version of a conflict to keep.
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

    /// Returns the changes that end a conflict. `seen` are the versions that the page showed, the current one first; throws ``Outdated`` if
    /// they are not the present ones. `names` gives a free name for each document that is made from a version, `newID` its id.
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

    /// Returns candidate names for documents that are made from conflict versions: `name 2.ext` and so on. The caller removes those that
    /// are taken.
    package static func candidates(for name: ItemName, count: Int) -> [ItemName] {
        (2..<(2 + count)).map(name.numbered)
    }

    /// Splits changes into batches that fit into one entry: bounded in number, and in the bytes of names, attributes and link targets.
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
    /// An upper bound of the bytes of a change that the console makes.
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
