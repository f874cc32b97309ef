package import Basics
import CloudModel
package import ContainerLog
import GRDB

/// What a package has that the cloud was not told of.
package struct PackageDelta: Sendable {
    /// Items with something to tell, parents before what is inside them.
    package var items: [LocalItem] = []
    package var departures: [Departure] = []
    /// Half of a save may be missing: something in it changed a moment ago, is being written, or has not reached the cloud.
    package var isUnderway = false
    /// Roughly what telling it takes in the log.
    package var bytes = 0
}

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
    package func news(ofPackage node: NodeID, settledBefore time: Timestamp) throws -> PackageDelta {
        var news = PackageDelta()
        guard let package = try item(node) else { return news }
        news.isUnderway = try isPaused(in: package.parent)
        try forEach(below: package) { item in
            guard !item.isExcluded, !item.isConflictSibling else { return }
            if item.isWriting || item.isEdited || item.isPaused { news.isUnderway = true }
            if let since = item.pendingSince {
                if since > time { news.isUnderway = true }
                news.items.append(item)
                news.bytes += item.roughSize
            }
            guard item.kind == .folder else { return }
            for departure in try unsentDepartures(from: item.node) {
                if departure.time > time { news.isUnderway = true }
                news.departures.append(departure)
                news.bytes += 64
            }
        }
        return news
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
