package import CloudModel

/// Finds packages: folders treated as a document.
extension LocalTree {
    /// Returns the package types declared in a container's log, and unsent local ones.
    package func packageTypes(of container: ContainerID) throws -> PackageTypes {
        try declarations(of: container).packageTypes
    }

    /// Returns the outermost package at or above a node; nil if there is none.
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

extension LocalItem {
    package var isPackage: Bool { kind == .folder && packageTypes.isPackage(name) }

    /// The approximate size of the item in the log, in bytes: its name and attributes.
    package var roughSize: Int {
        160 + name.bytes.count + target.count
            + attributes.extended.reduce(0) { $0 + $1.key.utf8.count + $1.value.count }
    }
}
