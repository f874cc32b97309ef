/// The kernel's number for an item: 64 bits chosen by the file system, 1 for the root.
package typealias FuseNode = UInt64

/// The file system's number for an open file: 64 bits chosen by it.
package typealias FuseHandle = UInt64

extension FuseNode {
    /// The mount's root, FUSE_ROOT_ID.
    package static let root: FuseNode = 1
}

/// References to a node, returned by the kernel.
package struct FuseForget: Sendable {
    package let node: FuseNode
    /// The number of lookups returned.
    package let count: UInt64
}

/// A side of a `copy_file_range(2)`.
package struct FuseRange: Sendable {
    package let node: FuseNode
    package let handle: FuseHandle
    package let offset: Int64
}
