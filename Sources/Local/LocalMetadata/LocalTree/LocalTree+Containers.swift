import CloudModel

/// Reads containers as the mount shows them.
extension LocalTree {
    /// Returns whether a container has nothing but its empty `Documents`.
    package func isVacant(_ folder: LocalItem) throws -> Bool {
        try children(of: folder.node, limit: 2).allSatisfy { try $0.item == .documents && !hasChildren($0.node) }
    }

    /// Returns whether the mount shows the container.
    package func isShown(_ container: LocalContainer) throws -> Bool {
        try item(container.node)?.parent == .root
    }
}
