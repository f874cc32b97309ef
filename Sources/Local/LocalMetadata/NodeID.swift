/// The number of an item on this device: row id of `local`, FUSE node id and inode number at once. Never reused.
package struct NodeID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: UInt64
    package init(_ value: UInt64) { self.value = value }
    /// The root of the mount, `FUSE_ROOT_ID`.
    package static let root = NodeID(1)
    package static func < (left: NodeID, right: NodeID) -> Bool { left.value < right.value }
    package var description: String { String(value) }
}
