import Basics
import CLinux
import Glibc

/// Copies a file or folder completely: modes, times, extended attributes, links.
struct TreeCopy {
    private static let piece = 1 << 20
    private let total: UInt64
    private var done: UInt64 = 0

    init(total: UInt64) { self.total = total }

    mutating func copy(
        _ source: [UInt8], to copy: [UInt8], _ progress: (UInt64, UInt64) -> Void
    ) throws(Errno) {
        guard let status = FileStatus(source) else { throw Errno(errno, "lstat") }
        // Not the set-user-id and set-group-id bits: a remote device may have set them.
        let mode = status.mode & 0o777
        switch status.kind {
        case S_IFDIR:
            try check("mkdir") { mkdir(terminated(copy), 0o700) }
            for name in try DirectoryNames.list(source) {
                try self.copy(source + [UInt8(ascii: "/")] + name, to: copy + [UInt8(ascii: "/")] + name, progress)
            }
        case S_IFREG: try copyBytes(source, to: copy, progress)
        case S_IFLNK:
            let link = try Self.linkTarget(source)
            try check("symlink") { symlink(terminated(link), terminated(copy)) }
            try copyAttributes(source, copy)
            return try Self.setTimes(status, copy)
        case S_IFIFO: try check("mkfifo") { mkfifo(terminated(copy), mode) }
        default: throw Errno(EOPNOTSUPP)
        }
        try copyAttributes(source, copy)
        try check("chmod") { chmod(terminated(copy), mode) }
        // Last, and after all contents: each change of a folder sets its time.
        try Self.setTimes(status, copy)
        if status.kind != S_IFIFO { try DocumentMove.sync(copy, orUnreadable: mode) }
    }

    private mutating func copyBytes(
        _ source: [UInt8], to copy: [UInt8], _ progress: (UInt64, UInt64) -> Void
    ) throws(Errno) {
        let input = try check("open") { open(terminated(source), O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
        defer { close(input) }
        let output = try check("open") {
            open(terminated(copy), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        }
        defer { close(output) }
        var buffer = [UInt8](repeating: 0, count: Self.piece)
        while true {
            let count = try check("read") { read(input, &buffer, buffer.count) }
            guard count > 0 else { break }
            try writeAll(Array(buffer[..<count])) { write(output, $0.baseAddress, $0.count) }
            done += UInt64(count)
            progress(done, max(total, done))
        }
        guard fsync(output) == 0 else { throw Errno(errno, "fsync") }
    }

    /// Copies the user's attributes, not the machine's. An attribute is skipped if the destination cannot have it at
    /// all, but never because of its size.
    private func copyAttributes(_ source: [UInt8], _ copy: [UInt8]) throws(Errno) {
        let (source, copy) = (terminated(source), terminated(copy))
        var names = [CChar](repeating: 0, count: 1 << 16)
        let length = llistxattr(source, &names, names.count)
        guard length > 0 else { return }
        for name in names.prefix(length).split(separator: 0) where name.starts(with: Self.prefix) {
            let name = Array(name) + [0]
            var value = [UInt8](repeating: 0, count: 1 << 16)
            let count = try check("lgetxattr") { lgetxattr(source, name, &value, value.count) }
            guard lsetxattr(copy, name, value, count, 0) != 0 else { continue }
            guard errno == EOPNOTSUPP || errno == EPERM else { throw Errno(errno, "lsetxattr") }
        }
    }

    private static let prefix = "user.".utf8.map { CChar(bitPattern: $0) }

    private static func setTimes(_ status: FileStatus, _ copy: [UInt8]) throws(Errno) {
        let times = [status.accessed, status.modified]
        try check("utimensat") { utimensat(AT_FDCWD, terminated(copy), times, AT_SYMLINK_NOFOLLOW) }
    }

    private static func linkTarget(_ path: [UInt8]) throws(Errno) -> [UInt8] {
        var target = [CChar](repeating: 0, count: 4096)
        let count = try check("readlink") { readlink(terminated(path), &target, target.count) }
        return target.prefix(count).map { UInt8(bitPattern: $0) }
    }
}

extension DocumentMove {
    /// Syncs a file or folder of the given mode. A file unreadable by its owner was synced while it was written, or is
    /// an empty folder's name.
    fileprivate static func sync(_ path: [UInt8], orUnreadable mode: mode_t) throws(Errno) {
        do throws(Errno) { try sync(path) } catch {
            guard error.code == EACCES, mode & 0o400 == 0 else { throw error }
        }
    }
}
