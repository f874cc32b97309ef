import CloudModel

/// Removed, empty containers: their log stays, and their folder is not in the shown tree.
extension LocalItem {
    /// The attribute marking a container's folder as removed. It syncs, so that all devices agree; users cannot set
    /// names with `user.ubiquity.`.
    package static let removedMark = "user.ubiquity.removed"

    package var isMarkedRemoved: Bool { attributes.extended[Self.removedMark] != nil }

    /// Marks a container's folder and moves it out of the mount's root, or moves it back.
    package mutating func setRemoved(_ isRemoved: Bool) {
        attributes.extended[Self.removedMark] = isRemoved ? [UInt8(ascii: "1")] : nil
        parent = isRemoved ? .removedContainers : .root
    }
}

extension NodeID {
    /// The parent of a removed container's folder. No item has this number: those up to 15 are never assigned.
    package static let removedContainers = NodeID(2)
}
