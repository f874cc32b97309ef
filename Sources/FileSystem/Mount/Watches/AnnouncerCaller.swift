import Basics
import Glibc

/// Performs the calls of announcements on a mount. Follows no symbolic link and never leaves the mount: where something
/// else is mounted, or nothing is left mounted, a call fails with ENODEV.
struct AnnouncerCaller {
    /// `O_PATH` of open(2), and `UTIME_OMIT` of utimensat(2), both missing from the C library's module.
    private static let (pathOnly, omit): (Int32, Int) = (0o10_000_000, (1 << 30) - 2)

    let mountPoint: String
    let device: DeviceNumber

    /// Returns 0 or an error number of errno(3).
    func perform(_ call: AnnouncerCall) -> Int32 {
        do throws(Errno) {
            try inParent(of: call.paths[0]) { folder, name throws(Errno) in
                guard call.operation == .rename else { return try perform(call.operation, folder, name) }
                try inParent(of: call.paths[1]) { other, newName throws(Errno) in
                    try check("rename") { renameat(folder, name, other, newName) }
                }
            }
            return 0
        } catch { return error.code }
    }

    private func perform(_ operation: AnnouncerCall.Operation, _ folder: Int32, _ name: [CChar]) throws(Errno) {
        switch operation {
        case .greet:
            var status = stat()
            try check("look up") { fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) }
        case .makeFile: try check("make a file") { mknodat(folder, name, S_IFREG | 0o600, 0) }
        case .makeFolder: try check("make a folder") { mkdirat(folder, name, 0o700) }
        case .makeLink: try check("make a link") { symlinkat(".", folder, name) }
        case .removeFile: try check("remove") { unlinkat(folder, name, 0) }
        case .removeFolder: try check("remove") { unlinkat(folder, name, AT_REMOVEDIR) }
        case .touch: try touch(folder, name)
        case .rename: throw Errno(EINVAL)
        }
    }

    /// Sets only the modification time, to its current value: this causes IN_MODIFY, while both times would cause
    /// IN_ATTRIB (fsnotify_change in include/linux/fsnotify.h).
    private func touch(_ folder: Int32, _ name: [CChar]) throws(Errno) {
        var status = stat()
        try check("look up") { fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) }
        let times = [timespec(tv_sec: 0, tv_nsec: Self.omit), status.st_mtim]
        try check("touch") { utimensat(folder, name, times, AT_SYMLINK_NOFOLLOW) }
    }

    private func inParent(
        of path: [UInt8], _ body: (Int32, [CChar]) throws(Errno) -> Void
    ) throws(Errno) {
        var parts = path.split(separator: UInt8(ascii: "/")).map { $0.map { CChar(bitPattern: $0) } + [0] }
        guard let name = parts.popLast() else { throw Errno(EINVAL) }
        var folder = try check("open the mount") { open(mountPoint, Self.pathOnly | O_DIRECTORY | O_CLOEXEC) }
        defer { close(folder) }
        try requireMount(folder)
        for part in parts {
            let inner = try check("open a folder") {
                openat(folder, part, Self.pathOnly | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            }
            close(folder)
            folder = inner
        }
        try requireMount(folder)
        try body(folder, name)
    }

    private func requireMount(_ folder: Int32) throws(Errno) {
        var status = stat()
        try check("look at a folder") { fstat(folder, &status) }
        guard DeviceNumber(status: UInt64(status.st_dev)) == device else { throw Errno(ENODEV) }
    }
}
