package import Basics
import CFuse3
import Glibc

/// The changes of a `setattr` request; nil attributes stay unchanged.
package struct FuseSetAttributes: Sendable, Equatable {
    /// A time to set: the moment of the request, or a given time, `utimensat(2)`.
    package enum Time: Sendable, Equatable {
        case now
        case at(Timestamp)

        package func resolved(now: Timestamp) -> Timestamp {
            switch self {
            case .now: now
            case .at(let time): time
            }
        }
    }

    package var mode: UInt32?
    package var user: UInt32?
    package var group: UInt32?
    package var size: Int64?
    package var accessTime: Time?
    package var modificationTime: Time?
    package var changeTime: Timestamp?
    /// Whether to drop the set-user-ID and set-group-ID bits, as a truncation by an ordinary user and any `chown(2)` must.
    package var clearsSetID = false

    package init() {}

    init(_ attributes: stat, valid: Int32) {
        func has(_ bit: Int32) -> Bool { valid & bit != 0 }
        if has(FUSE_SET_ATTR_MODE) { mode = attributes.st_mode }
        if has(FUSE_SET_ATTR_UID) { user = attributes.st_uid }
        if has(FUSE_SET_ATTR_GID) { group = attributes.st_gid }
        if has(FUSE_SET_ATTR_SIZE) { size = Int64(attributes.st_size) }
        if has(FUSE_SET_ATTR_ATIME) { accessTime = .at(Timestamp(attributes.st_atim)) }
        if has(FUSE_SET_ATTR_ATIME_NOW) { accessTime = .now }
        if has(FUSE_SET_ATTR_MTIME) { modificationTime = .at(Timestamp(attributes.st_mtim)) }
        if has(FUSE_SET_ATTR_MTIME_NOW) { modificationTime = .now }
        if has(FUSE_SET_ATTR_CTIME) { changeTime = Timestamp(attributes.st_ctim) }
        // Bit 11 is the kernel's FATTR_KILL_SUIDGID; libfuse has its own name for it. A request without changes is
        // either a chown(2) of neither owner nor group, or a write of the kernel to a backing file: both clear the
        // bits.
        clearsSetID = has(FUSE_SET_ATTR_KILL_SUID) || valid & Self.fields == 0
    }

    /// The bits of `valid` for the fields to change.
    private static let fields =
        FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID | FUSE_SET_ATTR_SIZE | FUSE_SET_ATTR_ATIME
        | FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_ATIME_NOW | FUSE_SET_ATTR_MTIME_NOW | FUSE_SET_ATTR_CTIME
}
