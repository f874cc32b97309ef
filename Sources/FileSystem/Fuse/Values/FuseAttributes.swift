package import Basics
import CFuse3

/// An item's attributes for `stat(2)`.
package struct FuseAttributes: Sendable, Equatable {
    /// The inode number seen by programs.
    package var node: FuseNode
    /// Type and permissions, `inode(7)`.
    package var mode: UInt32
    package var linkCount: UInt64 = 1
    package var user: UInt32
    package var group: UInt32
    /// Device number of a device node.
    package var device: UInt64 = 0
    /// Length in bytes.
    package var size: Int64
    /// Space taken, in units of 512 bytes.
    package var blocks: Int64
    /// Preferred size of a read or write, in bytes.
    package var blockSize: Int = 4096
    package var accessTime: Timestamp
    package var modificationTime: Timestamp
    package var changeTime: Timestamp

    package init(
        node: FuseNode, mode: UInt32, user: UInt32, group: UInt32, size: Int64, modificationTime: Timestamp
    ) {
        self.node = node
        self.mode = mode
        self.user = user
        self.group = group
        self.size = size
        blocks = size / 512 + (size % 512 == 0 ? 0 : 1)
        accessTime = modificationTime
        self.modificationTime = modificationTime
        changeTime = modificationTime
    }
}

extension FuseAttributes {
    var status: stat {
        var status = stat()
        status.st_ino = UInt(node)
        status.st_mode = mode
        status.st_nlink = UInt(linkCount)
        status.st_uid = user
        status.st_gid = group
        status.st_rdev = UInt(device)
        status.st_size = Int(size)
        status.st_blksize = blockSize
        status.st_blocks = Int(blocks)
        status.st_atim = accessTime.timespec
        status.st_mtim = modificationTime.timespec
        status.st_ctim = changeTime.timespec
        return status
    }
}
