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
