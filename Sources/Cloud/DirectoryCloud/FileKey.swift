import Basics
import Glibc

/// Distinguishes a file from a later file with the same name.
struct FileKey: Equatable, Sendable {
    let device: UInt64
    let inode: UInt64
    /// Inode numbers are reused; the time of the inode's last change is not.
    let changed: Timestamp

    init(_ info: stat) {
        device = UInt64(info.st_dev)
        inode = UInt64(info.st_ino)
        changed = Timestamp(info.st_ctim)
    }
}
