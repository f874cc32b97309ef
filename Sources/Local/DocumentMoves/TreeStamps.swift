import Basics
import Glibc

/// The sizes and times of a file, or of a folder's contents. They differ after any write.
struct TreeStamps: Equatable {
    private struct Stamp: Equatable {
        let kind: mode_t
        let size: off_t
        let seconds: Int
        let nanoseconds: Int
    }

    private var stamps: [[UInt8]: Stamp] = [:]
    /// The size of all files.
    private(set) var bytes: UInt64 = 0

    init(of path: [UInt8]) throws(Errno) { try add(path) }

    private mutating func add(_ path: [UInt8]) throws(Errno) {
        guard let status = FileStatus(path) else { throw Errno(errno, "lstat") }
        stamps[path] = Stamp(
            kind: status.kind, size: status.size, seconds: status.modified.tv_sec,
            nanoseconds: status.modified.tv_nsec)
        if status.kind == S_IFREG { bytes += UInt64(max(0, status.size)) }
        guard status.kind == S_IFDIR else { return }
        for name in try DirectoryNames.list(path) { try add(path + [UInt8(ascii: "/")] + name) }
    }
}
