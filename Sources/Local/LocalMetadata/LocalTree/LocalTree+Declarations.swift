import CloudModel
import GRDB

import struct Foundation.Data

/// The declarations of a container's root, in its attributes, about the whole container.
struct RootDeclarations: Hashable {
    var packageTypes = PackageTypes()
    var foldsNames = false

    init() {}

    init(extended: [String: [UInt8]]) {
        packageTypes = PackageTypes(extended: extended)
        foldsNames = extended[ReservedAttribute.foldsNames] != nil
    }

    mutating func formUnion(_ other: RootDeclarations) {
        packageTypes.formUnion(other.packageTypes)
        foldsNames = foldsNames || other.foldsNames
    }
}

extension RootDeclarations: ColumnDecodable {
    init(columns: Columns) throws { self.init(extended: try ExtendedAttributes.decode(columns.optionalData(0))) }
}

extension LocalTree {
    /// Returns the declarations of a container's log, and unsent local ones.
    func declarations(of container: ContainerID) throws -> RootDeclarations {
        if let known = memory.declarations[container] { return known }
        var declarations = RootDeclarations()
        // A separate query, because folders are read in the middle of this one.
        let rows: [RootDeclarations] = try fetchAll(
            """
            SELECT extended FROM remote WHERE container = ?1 AND item = ?2
            UNION ALL SELECT extended FROM local WHERE container = ?1 AND item = ?2
            """, [container.value, ItemID.root.data])
        for row in rows { declarations.formUnion(row) }
        memory.declarations[container] = declarations
        return declarations
    }

    /// Must be called after each change of a container's root, in either tree.
    func noteRoot(of container: ContainerID, _ before: ItemAttributes?, _ after: ItemAttributes) throws {
        let (old, new) = (
            before.map { RootDeclarations(extended: $0.extended) }, RootDeclarations(extended: after.extended)
        )
        guard old != new else { return }
        memory.declarations[container] = nil
        if old?.packageTypes ?? PackageTypes() != new.packageTypes { memory.changesEverything = true }
        if old?.foldsNames ?? false != new.foldsNames { try indexFoldedNames(of: container) }
    }
}
