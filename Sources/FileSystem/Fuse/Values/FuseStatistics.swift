import CFuse3

/// The file system's values for `statvfs(3)`.
package struct FuseStatistics: Sendable, Equatable {
    /// The unit of the block counts, in bytes.
    package var blockSize: UInt
    package var blocks: UInt64
    package var freeBlocks: UInt64
    /// The number of free blocks available to an ordinary user.
    package var availableBlocks: UInt64
    package var nodes: UInt64
    package var freeNodes: UInt64
    /// The longest name, in bytes.
    package var maximumNameLength: UInt = 255

    package init(
        blockSize: UInt, blocks: UInt64, freeBlocks: UInt64, availableBlocks: UInt64, nodes: UInt64, freeNodes: UInt64
    ) {
        self.blockSize = blockSize
        self.blocks = blocks
        self.freeBlocks = freeBlocks
        self.availableBlocks = availableBlocks
        self.nodes = nodes
        self.freeNodes = freeNodes
    }

    var statistics: statvfs {
        var result = statvfs()
        result.f_bsize = blockSize
        result.f_frsize = blockSize
        result.f_blocks = UInt(blocks)
        result.f_bfree = UInt(freeBlocks)
        result.f_bavail = UInt(availableBlocks)
        result.f_files = UInt(nodes)
        result.f_ffree = UInt(freeNodes)
        result.f_favail = UInt(freeNodes)
        result.f_namemax = maximumNameLength
        return result
    }
}
