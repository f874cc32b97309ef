/// What the kernel knows an item by: 64 bits of the file system's choice, 1 for the root.
package typealias FuseNode = UInt64

/// What the file system knows an open file by: 64 bits of its choice.
package typealias FuseHandle = UInt64

extension FuseNode {
    /// The root of the mount, FUSE_ROOT_ID.
    package static let root: FuseNode = 1
}

/// References to a node that the kernel gives back.
package struct FuseForget: Sendable {
    package let node: FuseNode
    /// How many of the lookups are returned.
    package let count: UInt64
}

/// One end of a `copy_file_range(2)`.
package struct FuseRange: Sendable {
    package let node: FuseNode
    package let handle: FuseHandle
    package let offset: Int64
}
