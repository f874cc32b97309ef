import Basics
import Fuse
import Glibc

/// An item of the file system in memory.
struct MemoryNode {
    enum Content {
        case folder([[UInt8]: FuseNode])
        case file([UInt8])
        case link([UInt8])
        /// An open local file for the kernel's own reads and writes.
        case native(Int32)
    }

    var content: Content
    var mode: UInt32
    var user = geteuid()
    var group = getegid()
    var modificationTime: Timestamp
    var extendedAttributes: [[UInt8]: [UInt8]] = [:]
    var linkCount: UInt64 = 1
    /// The kernel's number of lookups not yet forgotten.
    var references: UInt64 = 0

    func attributes(_ node: FuseNode) -> FuseAttributes {
        var attributes = FuseAttributes(
            node: node, mode: mode, user: user, group: group, size: size, modificationTime: modificationTime)
        attributes.linkCount = linkCount
        return attributes
    }

    private var size: Int64 {
        switch content {
        case .folder: 0
        case .file(let bytes): Int64(bytes.count)
        case .link(let target): Int64(target.count)
        case .native(let file): Int64(lseek(file, 0, SEEK_END))
        }
    }

    var children: [[UInt8]: FuseNode] {
        get { if case .folder(let children) = content { children } else { [:] } }
        set { content = .folder(newValue) }
    }

    var isFolder: Bool { if case .folder = content { true } else { false } }
}
