import CloudModel

/// Containers as the mount shows them.
extension LocalTree {
    /// Whether there is nothing in a container but its empty `Documents`.
    package func isVacant(_ folder: LocalItem) throws -> Bool {
        try children(of: folder.node, limit: 2).allSatisfy { try $0.item == .documents && !hasChildren($0.node) }
    }

    /// Whether the mount shows the container.
    package func isShown(_ container: LocalContainer) throws -> Bool {
        try item(container.node)?.parent == .root
    }
}
