import CloudModel

/// Containers that were removed and have nothing in them: their log stays, their folder is in no folder that the mount shows.
extension LocalItem {
    /// The attribute of a container's folder that says so. It syncs, so that all devices agree; `user.ubiquity.` is no user's to set.
    package static let removedMark = "user.ubiquity.removed"

    package var isMarkedRemoved: Bool { attributes.extended[Self.removedMark] != nil }

    /// Marks a container's folder and takes it out of the mount's root, or puts it back there.
    package mutating func setRemoved(_ isRemoved: Bool) {
        attributes.extended[Self.removedMark] = isRemoved ? [UInt8(ascii: "1")] : nil
        parent = isRemoved ? .removedContainers : .root
    }
}

extension NodeID {
    /// The parent of a removed container's folder. No item has this number: those up to 15 are never given out.
    package static let removedContainers = NodeID(2)
}

extension MetadataTransaction {
    /// Whether there is nothing in a container but its empty `Documents`.
    package func isVacant(_ folder: LocalItem) throws -> Bool {
        try children(of: folder.node, limit: 2).allSatisfy { try $0.item == .documents && !hasChildren($0.node) }
    }

    /// Whether the mount shows the container.
    package func isShown(_ container: LocalContainer) throws -> Bool {
        try item(container.node)?.parent == .root
    }
}
