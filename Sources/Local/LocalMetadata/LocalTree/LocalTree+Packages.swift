import CloudModel
package import ContainerLog
import GRDB

import struct Foundation.Data

/// Finds packages: folders that are one document each.
extension LocalTree {
    /// Returns the package types that the log of a container declares, and those declared on this device and not sent yet.
    package func packageTypes(of container: ContainerID) throws -> PackageTypes {
        if let known = memory.packageTypes[container] { return known }
        var types = PackageTypes()
        // A separate query, because folders are read while this one reads others.
        let rows: [RootAttributes] = try fetchAll(
            """
            SELECT extended FROM remote WHERE container = ?1 AND item = ?2
            UNION ALL SELECT extended FROM local WHERE container = ?1 AND item = ?2
            """, [container.value, ItemID.root.data])
        for row in rows { types.formUnion(PackageTypes(extended: row.extended)) }
        memory.packageTypes[container] = types
        return types
    }

    /// Invalidates the package types of a container if its root now declares others.
    func noteRoot(of container: ContainerID, _ before: ItemAttributes?, _ after: ItemAttributes) {
        guard before.map({ PackageTypes(declaredBy: $0) }) != PackageTypes(declaredBy: after) else { return }
        memory.packageTypes[container] = nil
        memory.changesEverything = before != nil || memory.changesEverything
    }

    /// Returns the outermost package that a node is or is inside; nil if it is in none.
    package func package(around node: NodeID) throws -> NodeID? {
        var found: NodeID?
        var current = node
        // Damaged rows may form a cycle; no path has more folders.
        for _ in 0..<4096 {
            guard current != .root, let item = try item(current), item.item != .root else { break }
            if item.isPackage { found = current }
            current = item.parent
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

    /// The approximate size of the item in the log, in bytes: its name and attributes.
    package var roughSize: Int {
        160 + name.bytes.count + target.count
            + attributes.extended.reduce(0) { $0 + $1.key.utf8.count + $1.value.count }
    }
}
