package import Basics
import CloudModel
package import ContainerLog
import GRDB

/// Folders that are one document each.
extension MetadataTransaction {
    /// What the log of a container declares, and what was declared here and is on its way there.
    package func packageTypes(of container: ContainerID) throws -> PackageTypes {
        if let known = memory.packageTypes[container] { return known }
        var types = PackageTypes()
        // A query of its own: folders are read while others are.
        let rows: [RootAttributes] = try fetchAll(
            """
            SELECT extended FROM remote WHERE container = ?1 AND item = ?2
            UNION ALL SELECT extended FROM local WHERE container = ?1 AND item = ?2
            """, [container.value, ItemID.root.data])
        for row in rows { types.formUnion(PackageTypes(extended: row.extended)) }
        memory.packageTypes[container] = types
        return types
    }

    /// Whether folders are packages by the extensions that a container's root had and has.
    func noteRoot(of container: ContainerID, _ before: ItemAttributes?, _ after: ItemAttributes) {
        guard before.map({ PackageTypes(declaredBy: $0) }) != PackageTypes(declaredBy: after) else { return }
        memory.packageTypes[container] = nil
        memory.changesEverything = before != nil || memory.changesEverything
    }

    /// The outermost package that a node is or lies in; nil if it is in none.
    package func package(around node: NodeID) throws -> NodeID? {
        var found: NodeID?
        var current = node
        // Damaged rows may lead in a circle; no path has more folders.
        for _ in 0..<4096 {
            guard current != .root, let item = try item(current), item.item != .root else { break }
            if item.isPackage { found = current }
            current = item.parent
        }
        return found
    }

    /// Looks at everything in a package.
    package func unsentChanges(ofPackage node: NodeID, settledBefore time: Timestamp) throws -> PackageDelta {
        var delta = PackageDelta()
        guard let package = try item(node) else { return delta }
        delta.isUnderway = try isPaused(in: package.parent)
        try forEach(below: package) { item in
            guard !item.isExcluded, !item.isConflictSibling else { return }
            if item.isWriting || item.isEdited || item.isPaused { delta.isUnderway = true }
            if let since = item.pendingSince {
                if since > time { delta.isUnderway = true }
                delta.items.append(item)
                delta.bytes += item.roughSize
            }
            guard item.kind == .folder else { return }
            for departure in try unsentDepartures(below: item.node) {
                if departure.time > time { delta.isUnderway = true }
                delta.departures.append(departure)
                delta.bytes += 64
            }
        }
        return delta
    }

    /// Unsent deletions in a folder, with those of what was in the folders that were deleted.
    package func unsentDepartures(below folder: NodeID) throws -> [Departure] {
        try unsentDepartures(from: folder).flatMap { [$0] + (try unsentDepartures(inside: $0)) }
    }

    /// A deleted folder has no row: only the log has what was in it.
    private func unsentDepartures(inside folder: Departure) throws -> [Departure] {
        guard folder.kind == .folder else { return [] }
        let tree = RemoteTree(self, container: folder.container)
        var found: [Departure] = []
        var folders = [folder.item]
        // Damaged rows may lead in a circle.
        var seen = Set(folders)
        while let next = folders.popLast() {
            for child in try tree.children(of: next) where seen.insert(child).inserted {
                guard let departure = try departure(of: child, in: folder.container), !departure.isSent,
                    try item(departure.parent) == nil
                else { continue }
                found.append(departure)
                if departure.kind == .folder { folders.append(child) }
            }
        }
        return found
    }
}

private struct RootAttributes: ColumnDecodable {
    let extended: [String: [UInt8]]
    init(columns: Columns) throws { extended = try ExtendedAttributes.decode(columns.optionalData(0)) }
}

extension LocalItem {
    package var isPackage: Bool { kind == .folder && packageTypes.isPackage(name) }

    /// Bytes of its name and attributes, roughly as the log keeps them.
    package var roughSize: Int {
        160 + name.bytes.count + target.count
            + attributes.extended.reduce(0) { $0 + $1.key.utf8.count + $1.value.count }
    }
}
