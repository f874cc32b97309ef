import Basics
import Glibc

/// Distinguishes a file from another that took its name.
struct FileKey: Equatable, Sendable {
    let device: UInt64
    let inode: UInt64
    /// Inode numbers are used again; the time of the last change of the inode is not.
    let changed: Timestamp

    init(_ info: stat) {
        device = UInt64(info.st_dev)
        inode = UInt64(info.st_ino)
        changed = Timestamp(info.st_ctim)
    }
}
