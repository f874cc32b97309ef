/// The number by which the kernel knows an item: 64 bits that the file system chooses, 1 for the root.
package typealias FuseNode = UInt64

/// The number by which the file system knows an open file: 64 bits that it chooses.
package typealias FuseHandle = UInt64

extension FuseNode {
    /// The root of the mount, FUSE_ROOT_ID.
    package static let root: FuseNode = 1
}

/// References to a node that the kernel returns.
package struct FuseForget: Sendable {
    package let node: FuseNode
    /// How many lookups are returned.
    package let count: UInt64
}

/// One end of a `copy_file_range(2)`.
package struct FuseRange: Sendable {
    package let node: FuseNode
    package let handle: FuseHandle
    package let offset: Int64
}
